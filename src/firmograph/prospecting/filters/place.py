"""Filters by place (decisions E, Places): locations, countries, postcodes and radii.

The same fields hold the place of a contact and the headquarters of a company, so the same filters serve both. Codes,
English and local names are understood. Countries are asked for by name or code; a name of none matches nothing, as
any value that comes from data, while a code, a continent or a grouping that is none is refused.
"""

from collections.abc import Iterable
from functools import cache

from msgspec import UNSET

from firmograph.directory.normalise.gazetteer import CONTINENTS, fold, subdivisions
from firmograph.directory.normalise.gazetteer import countries as known_countries
from firmograph.directory.normalise.places import country_code
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import NO_RECORD, Criterion, Near, Term, all_of, any_of
from firmograph.prospecting.filters import groupings, vocabularies
from firmograph.prospecting.filters.filter_reader import At, Read, each, known_one
from firmograph.prospecting.filters.shapes import Location, Radius, Zipcode
from firmograph.prospecting.filters.text import term_each
from firmograph.prospecting.indexing.analysis import postcode, whole

_MOST_STATES = 1_000
"""Without their country: each is looked for in every one."""
_CONTINENTS = vocabularies.index_by_casefold(CONTINENTS.values())


def countries(values: list[str], at: At) -> Criterion:
    """Two-letter codes only."""
    found = (_iso2(value, at.at(place)) for place, value in enumerate(values))
    return term_each(fields.COUNTRY, [code for code in found if code])


def countries_by_name(values: list[str], at: At) -> Criterion:
    """Codes or names, as the `country` of a location: a name of no country matches nothing."""
    found = map(country_code, values)
    return term_each(fields.COUNTRY, [code for code in found if code])


def locations(values: list[Location], at: At) -> Criterion:
    anywhere = sum(map(_is_state_of_any_country, values))
    if anywhere > _MOST_STATES:
        at.refuse(f"must have at most {_MOST_STATES} elements with a state or region but no country")
        return NO_RECORD
    return any_of([location(value, place) for value, place in each(values, at)])


def _is_state_of_any_country(value: Location) -> bool:
    says_state = value.state is not UNSET or value.region is not UNSET
    return says_state and value.country is UNSET and value.country_iso2 is UNSET


def location(value: Location, at: At) -> Criterion:
    """A place of which all that is said holds."""
    code = None if value.country is UNSET else country_code(value.country)
    iso2 = None if value.country_iso2 is UNSET else _iso2(value.country_iso2, at.at("countryIso2"))
    country = iso2 or code
    parts: list[Criterion] = []
    if value.country is not UNSET:
        parts.append(Term(fields.COUNTRY, code) if code else NO_RECORD)
    if iso2:
        parts.append(Term(fields.COUNTRY, iso2))
    if value.continent is not UNSET:
        name = known_one(value.continent, _CONTINENTS, at.at("continent"))
        parts.append(Term(fields.CONTINENT, name or ""))
    if value.country_grouping is not UNSET:
        parts.append(grouping(value.country_grouping, at.at("countryGrouping")))
    if value.snake_country_grouping is not UNSET:
        parts.append(grouping(value.snake_country_grouping, at.at("country_grouping")))
    if value.state is not UNSET:
        parts.append(state(country, value.state))
    if value.city is not UNSET:
        parts.append(city(value.city))
    if value.region is not UNSET:
        parts.append(region(country, value.region))
    return all_of(parts)


def _iso2(text: str, at: At) -> str | None:
    code = text.upper()
    if code in known_countries().names:
        return code
    at.refuse(f"must be a two-letter country code{_nearest_countries(text)}")
    return None


def _nearest_countries(text: str) -> str:
    meant = country_code(text)
    if meant:
        return f"; the nearest is {meant}"
    codes = {name: code for code, name in known_countries().names.items()}
    names = vocabularies.nearest_values(text, codes)
    return f"; the nearest are: {', '.join(f'{codes[name]} ({name})' for name in names)}"


def grouping(name: str, at: At) -> Criterion:
    """A grouping of countries. Whole continents in it are asked for as such: some records tell no more."""
    found = groupings.countries_of(name)
    if found is None:
        at.refuse(vocabularies.describe_expected_value(name, groupings.groupings()))
        return NO_RECORD
    return _within(found)


@cache
def _within(codes: frozenset[str]) -> Criterion:
    parts: list[Criterion] = []
    rest = codes
    for continent in CONTINENTS.values():
        members = {code for code, name in known_countries().continents.items() if name == continent}
        if members <= codes:
            parts.append(Term(fields.CONTINENT, continent))
            rest -= members
    return any_of([*parts, *(Term(fields.COUNTRY, code) for code in sorted(rest))])


def state(country: str | None, text: str) -> Criterion:
    """A state of a country, or without one a state of this name or code in any country."""
    if country is None:
        known = _states_of_any_country().get(fold(text), ())
        named = whole(text)
        unknown = (f"{code}-{named}" for code in known_countries().names) if named else ()
        return term_each(fields.STATE, [*known, *unknown])
    return term_each(
        fields.STATE, [f"{country}-{code}" for code in _subdivisions(country, text) or [whole(text)]]
    )


def _subdivisions(country: str, text: str) -> list[str]:
    """The codes that a name, or else a code, may mean."""
    held = subdivisions(country)
    found = held.all_named(text)
    if not found:
        code = text.strip().upper().removeprefix(country + "-")
        found = [held.by_code[code]] if code in held.by_code else []
    return [one.code for one in found]


@cache
def _states_of_any_country() -> dict[str, tuple[str, ...]]:
    """`US-CA` and its namesakes by every name and code."""
    found: dict[str, dict[str, None]] = {}
    for country in known_countries().names:
        held = subdivisions(country)
        for name, each_state in held.names():
            found.setdefault(name, {})[f"{country}-{each_state.code}"] = None
        for code in held.by_code:
            for name in (fold(code), fold(f"{country}-{code}")):
                found.setdefault(name, {})[f"{country}-{code}"] = None
    return {name: tuple(states) for name, states in found.items()}


def city(text: str) -> Criterion:
    name = whole(text)
    return Term(fields.PLACE, name) if name else NO_RECORD


def region(country: str | None, text: str) -> Criterion:
    """A continent or a grouping where one is called so, else a state or a city."""
    continent = _CONTINENTS.get(text.casefold())
    if continent:
        return Term(fields.CONTINENT, continent)
    members = groupings.countries_of(text)
    if members is not None:
        return _within(members)
    return any_of([state(country, text), city(text)])


def radii(values: list[Radius], at: At) -> Criterion:
    near = (_near(value, at.at(place)) for place, value in enumerate(values))
    return any_of([one for one in near if one])


def _near(value: Radius, at: At) -> Near | None:
    code = country_code(value.country)
    if code is None:
        at.at("country").refuse(f"must be a country{_nearest_countries(value.country)}")
        return None
    centre = at.resolver.postcode_centre(postcode(code, value.zipcode))
    if centre is None:
        at.at("zipcode").refuse(f"has no known position: no record tells where {value.zipcode} in {code} is")
        return None
    return Near(*centre, value.distance)


@cache
def zipcodes(field: str) -> Read[list[Zipcode]]:
    """The filter that matches postcodes in a field."""

    def read(values: list[Zipcode], at: At) -> Criterion:
        return term_each(field, list(_postcodes(values, at)))

    return read


def _postcodes(values: list[Zipcode], at: At) -> Iterable[str]:
    for place, value in enumerate(values):
        code = _iso2(value.country_iso2, at.at(place).at("countryIso2"))
        if code:
            yield postcode(code, value.zipcode)

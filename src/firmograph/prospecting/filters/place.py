"""Place filters: locations, countries, postcodes and radii.

See docs/reference/prospecting.md#places.

The same fields hold the place of a contact and the headquarters of a company, so the same filters serve both.
Codes, English names and local names are recognised. Unknown country names match nothing, like any value that comes
from data; unknown country codes, continents and groupings are refused.
"""

from collections.abc import Iterable
from functools import cache

from msgspec import UNSET

from firmograph.directory.normalise.gazetteer import CONTINENTS, fold_label, subdivisions
from firmograph.directory.normalise.gazetteer import countries as known_countries
from firmograph.directory.normalise.locations import country_code
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import NO_RECORD, Criterion, Near, Term, all_of, any_of
from firmograph.prospecting.filters import groupings, vocabularies
from firmograph.prospecting.filters.filter_reader import FilterParser, RequestPath, known_value, present_items
from firmograph.prospecting.filters.shapes import LocationFilter, Radius, Zipcode
from firmograph.prospecting.filters.text import any_term
from firmograph.prospecting.indexing.analysis import postcode, whole

_MAX_STATES = 1_000
"""Maximum number of states without a country; each is searched in every country."""
_CONTINENTS = vocabularies.index_by_casefold(CONTINENTS.values())


def countries(values: list[str], path: RequestPath) -> Criterion:
    """Match two-letter country codes."""
    found = (_iso2(value, path.child(index)) for index, value in enumerate(values))
    return any_term(fields.COUNTRY, [code for code in found if code])


def countries_by_name(values: list[str], path: RequestPath) -> Criterion:
    """Match country codes or names, as in `country` of a location. An unknown name matches nothing."""
    found = map(country_code, values)
    return any_term(fields.COUNTRY, [code for code in found if code])


def locations(values: list[LocationFilter], path: RequestPath) -> Criterion:
    anywhere = sum(map(_is_state_of_any_country, values))
    if anywhere > _MAX_STATES:
        path.refuse(f"must have at most {_MAX_STATES} elements with a state or region but no country")
        return NO_RECORD
    return any_of([location(value, item_path) for value, item_path in present_items(values, path)])


def _is_state_of_any_country(value: LocationFilter) -> bool:
    says_state = value.state is not UNSET or value.region is not UNSET
    return says_state and value.country is UNSET and value.country_iso2 is UNSET


def location(value: LocationFilter, path: RequestPath) -> Criterion:
    """Match a place that meets all given properties."""
    code = None if value.country is UNSET else country_code(value.country)
    iso2 = None if value.country_iso2 is UNSET else _iso2(value.country_iso2, path.child("countryIso2"))
    country = iso2 or code
    parts: list[Criterion] = []
    if value.country is not UNSET:
        parts.append(Term(fields.COUNTRY, code) if code else NO_RECORD)
    if iso2:
        parts.append(Term(fields.COUNTRY, iso2))
    if value.continent is not UNSET:
        name = known_value(value.continent, _CONTINENTS, path.child("continent"))
        parts.append(Term(fields.CONTINENT, name or ""))
    if value.country_grouping is not UNSET:
        parts.append(grouping(value.country_grouping, path.child("countryGrouping")))
    if value.snake_country_grouping is not UNSET:
        parts.append(grouping(value.snake_country_grouping, path.child("country_grouping")))
    if value.state is not UNSET:
        parts.append(state(country, value.state))
    if value.city is not UNSET:
        parts.append(city(value.city))
    if value.region is not UNSET:
        parts.append(region(country, value.region))
    return all_of(parts)


def _iso2(text: str, path: RequestPath) -> str | None:
    code = text.upper()
    if code in known_countries().names:
        return code
    path.refuse(f"must be a two-letter country code{_nearest_countries(text)}")
    return None


def _nearest_countries(text: str) -> str:
    meant = country_code(text)
    if meant:
        return f"; the nearest is {meant}"
    codes = {name: code for code, name in known_countries().names.items()}
    names = vocabularies.nearest_values(text, codes)
    return f"; the nearest are: {', '.join(f'{codes[name]} ({name})' for name in names)}"


def grouping(name: str, path: RequestPath) -> Criterion:
    """Match a grouping of countries. Whole continents in it match as such, because some records state no more."""
    found = groupings.countries_of(name)
    if found is None:
        path.refuse(vocabularies.describe_expected_value(name, groupings.groupings()))
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
    """Match a state of a country; without a country, a state with this name or code in any country."""
    if country is None:
        known = _states_of_any_country().get(fold_label(text), ())
        named = whole(text)
        unknown = (f"{code}-{named}" for code in known_countries().names) if named else ()
        return any_term(fields.STATE, [*known, *unknown])
    return any_term(
        fields.STATE, [f"{country}-{code}" for code in _subdivisions(country, text) or [whole(text)]]
    )


def _subdivisions(country: str, text: str) -> list[str]:
    """Return the codes that a name, or otherwise a code, may mean."""
    known = subdivisions(country)
    found = known.all_named(text)
    if not found:
        code = text.strip().upper().removeprefix(country + "-")
        found = [known.by_code[code]] if code in known.by_code else []
    return [one.code for one in found]


@cache
def _states_of_any_country() -> dict[str, tuple[str, ...]]:
    """Return the terms of states (`US-CA`), namesakes included, by every name and code."""
    found: dict[str, dict[str, None]] = {}
    for country in known_countries().names:
        known = subdivisions(country)
        for name, each_state in known.names():
            found.setdefault(name, {})[f"{country}-{each_state.code}"] = None
        for code in known.by_code:
            for name in (fold_label(code), fold_label(f"{country}-{code}")):
                found.setdefault(name, {})[f"{country}-{code}"] = None
    return {name: tuple(states) for name, states in found.items()}


def city(text: str) -> Criterion:
    name = whole(text)
    return Term(fields.PLACE, name) if name else NO_RECORD


def region(country: str | None, text: str) -> Criterion:
    """Match a continent or a grouping of this name; if there is none, a state or a city."""
    continent = _CONTINENTS.get(text.casefold())
    if continent:
        return Term(fields.CONTINENT, continent)
    members = groupings.countries_of(text)
    if members is not None:
        return _within(members)
    return any_of([state(country, text), city(text)])


def radii(values: list[Radius], path: RequestPath) -> Criterion:
    near = (_near(value, path.child(index)) for index, value in enumerate(values))
    return any_of([one for one in near if one])


def _near(value: Radius, path: RequestPath) -> Near | None:
    code = country_code(value.country)
    if code is None:
        path.child("country").refuse(f"must be a country{_nearest_countries(value.country)}")
        return None
    centre = path.resolver.postcode_centre(postcode(code, value.zipcode))
    if centre is None:
        path.child("zipcode").refuse(
            f"has no known position: no record has coordinates for {value.zipcode} in {code}"
        )
        return None
    return Near(*centre, value.distance)


@cache
def zipcodes(field: str) -> FilterParser[list[Zipcode]]:
    """Return the parser that matches postcodes in a field."""

    def parse(values: list[Zipcode], path: RequestPath) -> Criterion:
        return any_term(field, list(_postcodes(values, path)))

    return parse


def _postcodes(values: list[Zipcode], path: RequestPath) -> Iterable[str]:
    for index, value in enumerate(values):
        code = _iso2(value.country_iso2, path.child(index).child("countryIso2"))
        if code:
            yield postcode(code, value.zipcode)

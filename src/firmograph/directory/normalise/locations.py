"""Normalisation of locations to English names, ISO codes and continent."""

import re
from functools import lru_cache
from typing import NamedTuple

from firmograph.directory.normalise.gazetteer import (
    CONTINENTS,
    Subdivision,
    countries,
    fold_label,
    local_names,
    subdivisions,
)
from firmograph.directory.records import Location

_MAX_TEXT = 200
_EU = frozenset(
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"
    # parts of member states with a code of their own where the law of the Union applies
    " AX GF GP MF MQ RE YT".split()
)


def country_code(text: str) -> str | None:
    """Return ISO 3166-1 alpha-2 for a country's code or name, in English, its own or one of the larger languages."""
    return _country_code(text) if len(text) <= _MAX_TEXT else None


def unambiguous_country_code(text: str) -> str | None:
    """Return the code for text that may also name a town: none for Granada, which is Grenada in some languages."""
    code = country_code(text)
    foreign = (
        code is not None
        and local_names().every.get(fold_label(text)) == code
        and fold_label(text) not in local_names().own
    )
    return None if foreign else code


@lru_cache(maxsize=16_384)
def _country_code(text: str) -> str | None:
    folded = fold_label(text)
    if not folded:
        return None
    codes = countries().codes
    found = codes.get(folded) or codes.get(folded.removeprefix("the "))
    found = found or local_names().every.get(folded)
    return found or _code_of_both(text) or _reversed_name_code(text)


_CODE_BEHIND = re.compile(
    r"(?P<name>.+?)\s*(?:[(\[]\s*(?P<code>[A-Za-z]{2,3})\s*[)\]]|[-–—:/|]\s*(?P<last>[A-Z]{2,3}))\s*"
)
_CODE_BEFORE = re.compile(r"\s*[(\[]?(?P<code>[A-Z]{2,3})[)\]]?\s*[-–—:/|\s]\s*(?P<name>.{3,})")


def _name_and_code(text: str) -> tuple[str, str] | None:
    """Return the parts of a place written as its name and code: `Switzerland (CH)`, `US - United States`."""
    if found := _CODE_BEHIND.fullmatch(text):
        return found["name"], found["code"] or found["last"]
    found = _CODE_BEFORE.fullmatch(text)
    return (found["name"], found["code"]) if found else None


def _code_of_both(text: str) -> str | None:
    """Return the country that both the name and the code of a text mean."""
    parts = _name_and_code(text)
    if parts is None:
        return None
    code = country_code(parts[0])
    return code if code is not None and code == countries().codes.get(fold_label(parts[1])) else None


_REVERSED = re.compile(r"([^,(]+)(?:,\s*|\s*\()([^,()]+)\)?\s*")
_OF_STATES = frozenset(
    "republic of the rep kingdom state states commonwealth principality grand duchy sultanate union federation"
    " federal federated islamic".split()
)


def _reversed_name_code(text: str) -> str | None:
    """Return the code of names such as `Ireland, Republic of` and `Korea (South)`."""
    found = _REVERSED.fullmatch(text)
    if found is None:
        return None
    codes = countries().codes
    name, rest = fold_label(found[1]), fold_label(found[2])
    reversed_code = codes.get(f"{rest} {name}".removeprefix("the "))
    return reversed_code or (
        codes.get(name) if len(name) > 3 and _OF_STATES.issuperset(rest.split()) else None
    )


def country_name(code: str) -> str | None:
    """Return the common English name: South Korea, not Korea, Republic of."""
    return countries().names.get(code.upper())


def continent_of(code: str) -> str | None:
    """Return Africa, Antarctica, Asia, Europe, North America, Oceania or South America."""
    return countries().continents.get(code.upper())


def is_eu(code: str | None) -> bool:
    """Return whether a country is a member of the European Union.

    Also true for parts of members with a code of their own that belong to the Union (Réunion, Åland); not for the rest
    of the European Economic Area.
    """
    return code is not None and code.upper() in _EU


def normalise_location(
    country: str | None,
    country_iso2: str | None,
    state: str | None,
    state_code: str | None,
    city: str | None,
    zip_code: str | None,
    continent: str | None,
    coordinates: tuple[float, float] | None,
) -> Location | None:
    """Return the location of a record; None if all values are empty.

    A code takes precedence over a contradicting name. Unknown countries and states stay as written, without a code. The
    continent is that of the country; the given one counts only without a known country. Coordinates (longitude,
    latitude) out of range are dropped. `is_eu_contact` is left unset.
    """
    area = _area(country, country_iso2, state, state_code, continent)
    city = " ".join(city.split()) if city else None
    zip_code = zip_code.strip() if zip_code else None
    if coordinates is not None and not _on_earth(coordinates):
        coordinates = None
    if area is _NOWHERE and not city and not zip_code and coordinates is None:
        return None
    return Location(
        country=area.country,
        country_iso2=area.country_iso2,
        state=area.state,
        state_code=area.state_code,
        city=city or None,
        zip_code=zip_code or None,
        continent=area.continent,
        coordinates=coordinates,
    )


class _Area(NamedTuple):
    country: str | None
    country_iso2: str | None
    state: str | None
    state_code: str | None
    continent: str | None


_NOWHERE = _Area(None, None, None, None, None)


@lru_cache(maxsize=65_536)
def _area(
    country: str | None,
    country_iso2: str | None,
    state: str | None,
    state_code: str | None,
    continent: str | None,
) -> _Area:
    code = (
        country_code(country_iso2 or "")
        or country_code(country or "")
        or _country_in(state_code or state or "")
    )
    found = _subdivision(code, state, state_code) if code else None
    area = _Area(
        country=country_name(code) if code else _text(country),
        country_iso2=code,
        state=found.name if found else _text(state) or _text(state_code),
        state_code=found.code if found else None,
        continent=continent_of(code) if code else _continent(continent),
    )
    return area if any(area) else _NOWHERE


def _country_in(text: str) -> str | None:
    """Return the country of a full subdivision code such as `US-CA`."""
    country, dash, code = text.strip().upper().partition("-")
    known = dash and country in countries().names and code in subdivisions(country).by_code
    return country if known else None


def _subdivision(country: str, state: str | None, state_code: str | None) -> Subdivision | None:
    if not state and not state_code:
        return None
    known = subdivisions(country)
    code = (state_code or "").strip().upper().removeprefix(country + "-")
    if found := known.by_code.get(code):
        return found
    texts = [text for text in (state, state_code) if text]
    named = next(filter(None, map(known.named, texts)), None)
    found = named or known.by_code.get((state or "").strip().upper().removeprefix(country + "-"))
    if found is None and (parts := _name_and_code(state or "")):
        by_name = known.named(parts[0])
        return by_name if by_name and by_name.code == parts[1].upper() else None
    return found


def _continent(text: str | None) -> str | None:
    folded = fold_label(text or "")
    return next((name for name in CONTINENTS.values() if fold_label(name) == folded), _text(text))


def _text(text: str | None) -> str | None:
    return " ".join(text.split()) or None if text else None


def _on_earth(coordinates: tuple[float, float]) -> bool:
    longitude, latitude = coordinates
    return -180 <= longitude <= 180 and -90 <= latitude <= 90

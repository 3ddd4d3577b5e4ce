"""Locations in filters: fields of one location together, groupings, circles, postcodes.

See docs/reference/prospecting.md#places.
"""

import math
from functools import cache
from statistics import median
from typing import Any

from record_set import Records

from firmograph.directory.names import fold
from firmograph.directory.normalise.gazetteer import CONTINENTS, countries, subdivisions
from firmograph.directory.normalise.locations import country_code
from firmograph.directory.records import Location
from firmograph.prospecting.filters.groupings import countries_of
from firmograph.prospecting.indexing.city_coordinates import city_names, city_position

EARTH_RADIUS = 3958.7613
"""Miles."""


def at_location(place: Location | None, requested: dict[str, Any]) -> bool:
    """Return whether a record's location matches all requested fields."""
    if place is None:
        return False
    region = requested.get("region")
    return all(_QUESTIONS[name](place, value) for name, value in requested.items() if name != "region") and (
        region is None or _in_region(place, region)
    )


_names_of = cache(city_names)


def _in_city(place: Location, value: str) -> bool:
    stored = _names_of(place.city or "", place.state or "", place.country_iso2 or "")
    return bool(fold(value)) and fold(value) in stored


def _in_state(place: Location, value: str) -> bool:
    """Match by code or name; an unknown name has no code."""
    country = place.country_iso2
    if country is None or place.state is None:
        return False
    if place.state_code is None:
        return fold(value) == fold(place.state)
    return place.state_code in _state_codes(country, value)


def _state_codes(country: str, value: str) -> set[str]:
    known = subdivisions(country)
    best = known.named(value)
    codes = {code for code, one in known.by_code.items() if one == best or fold(one.name) == fold(value)}
    return codes or {value.strip().upper().removeprefix(f"{country}-")}


def _in_country(place: Location, value: str) -> bool:
    return place.country_iso2 is not None and place.country_iso2 == country_code(value)


def _on_continent(place: Location, value: str) -> bool:
    return fold(value) == fold(place.continent or "")


def _in_grouping(place: Location, value: str) -> bool:
    """Match by country; if only the continent is known, the grouping must contain all of it."""
    members = countries_of(value) or frozenset()
    if place.country_iso2 is not None:
        return place.country_iso2 in members
    continent = {code for code, name in countries().continents.items() if name == place.continent}
    return bool(continent) and continent <= members


def _in_region(place: Location, value: str) -> bool:
    """Match a continent or grouping of that name, else a state or a city."""
    if fold(value) in map(fold, CONTINENTS.values()):
        return _on_continent(place, value)
    if countries_of(value) is not None:
        return _in_grouping(place, value)
    return _in_city(place, value) or _in_state(place, value)


_QUESTIONS = {
    "city": _in_city,
    "state": _in_state,
    "country": _in_country,
    "countryIso2": _in_country,
    "continent": _on_continent,
    "countryGrouping": _in_grouping,
    "country_grouping": _in_grouping,
}


# --- postcodes and circles ---


def at_postcode(place: Location | None, country: str, postcode: str) -> bool:
    return bool(
        place
        and place.zip_code
        and place.country_iso2 is not None
        and place.country_iso2 == country_code(country)
        and _plain(place.zip_code) == _plain(postcode)
    )


def _plain(postcode: str) -> str:
    return "".join(postcode.split()).upper()


def position(place: Location | None) -> tuple[float, float] | None:
    """Return latitude and longitude: the record's own, else its city's."""
    if place is None:
        return None
    if place.coordinates is not None:
        longitude, latitude = place.coordinates
        return latitude, longitude
    if place.city is None or place.country_iso2 is None:
        return None
    return city_position(place.city, place.state or "", place.country_iso2)


def centre(records: Records, country: str, postcode: str) -> tuple[float, float] | None:
    """Return the centre of a postcode: the median of the positions of the records that have it."""
    key = (country, postcode)
    if key not in records.centres:
        people, firms = records.contacts.values(), records.companies.values()
        places = [one.record.location for one in (*people, *firms)]
        there = [position(place) for place in places if at_postcode(place, country, postcode)]
        stored = [where for where in there if where]
        middle = (median(lat for lat, _ in stored), median(lon for _, lon in stored)) if stored else None
        records.centres[key] = middle
    return records.centres[key]


def near(place: Location | None, requested: dict[str, Any], records: Records) -> bool:
    """Return whether a record's position is within so many miles of a postcode's centre."""
    here = position(place)
    there = centre(records, requested["country"], requested["zipcode"])
    return here is not None and there is not None and miles(here, there) <= requested["distance"]


def miles(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the great-circle distance between two positions of (latitude, longitude)."""
    (lat, lon), (lat2, lon2) = ((math.radians(a), math.radians(b)) for a, b in (one, other))
    sine = math.sin((lat2 - lat) / 2) ** 2 + math.cos(lat) * math.cos(lat2) * math.sin((lon2 - lon) / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(min(1.0, sine)))

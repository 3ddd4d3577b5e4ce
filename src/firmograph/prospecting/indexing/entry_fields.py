"""Fields shared by the entries of contacts and companies: days and places."""

from functools import lru_cache
from typing import Final

from firmograph.directory.records import Location
from firmograph.prospecting.engines.fields import CONTINENT, COUNTRY, PLACE, STATE, ZIP
from firmograph.prospecting.indexing.analysis import day_number, postcode, whole
from firmograph.prospecting.indexing.city_coordinates import Position, city_position, rounded

_LAST_DAY: Final = 65_535


def update_day(day: str | None) -> int:
    """Return a day of `updateDate` in the form used for ordering: 1..65535, 0 when absent."""
    number = day_number(day) if day else None
    return 0 if number is None else max(1, min(number, _LAST_DAY))


def place_terms(place: Location) -> tuple[tuple[str, str], ...]:
    """Return country, state, continent and city of a place."""
    return _place_terms(place.country_iso2, place.state_code, place.state, place.continent, place.city)


@lru_cache(maxsize=65_536)
def _place_terms(
    country: str | None, state_code: str | None, state: str | None, continent: str | None, city: str | None
) -> tuple[tuple[str, str], ...]:
    code = country or ""
    terms = []
    if country:
        terms.append((COUNTRY, country))
    if state_code or state:
        terms.append((STATE, f"{code}-{state_code or whole(state or '')}"))
    if continent:
        terms.append((CONTINENT, continent))
    if city:
        parts = (part.replace("|", " ") for part in (city, state or "", code))
        terms.append((PLACE, "|".join(parts)))
    return tuple(terms)


def zip_terms(place: Location, field: str = ZIP) -> tuple[tuple[str, str], ...]:
    """Return the postcode of a place; without a country it is meaningless."""
    if not place.zip_code or not place.country_iso2:
        return ()
    return ((field, postcode(place.country_iso2, place.zip_code)),)


def position(place: Location | None) -> Position | None:
    """Return the coordinates of a place, or those of its city in the reference data."""
    if place is None:
        return None
    if place.coordinates:
        longitude, latitude = place.coordinates
        return rounded(latitude, longitude)
    if place.city and place.country_iso2:
        return city_position(place.city, place.state or "", place.country_iso2)
    return None

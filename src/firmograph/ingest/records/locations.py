"""Conversion of locations to canonical ones."""

from functools import lru_cache

from firmograph.directory.normalise.gazetteer import subdivisions
from firmograph.directory.normalise.locations import (
    country_code,
    is_eu,
    normalise_location,
    unambiguous_country_code,
)
from firmograph.directory.normalise.placeholders import is_placeholder_text
from firmograph.directory.records import Location
from firmograph.ingest.reading.inputs import LocationInput
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.values import code, label, line

_CODE_LENGTH = 2


def place(value: str | None) -> str | None:
    """Return a country or state, which may be a code such as `NA`; None for a placeholder."""
    found = line(value)
    return (
        found
        if found and len(found) == _CODE_LENGTH and found.isascii() and found.isalpha()
        else label(found)
    )


def read_location(
    value: LocationInput | str | None, notes: Notes, path: str = "location", *, of_contact: bool = False
) -> Location | None:
    """Return a record's location; for a contact with whether it is in the European Union.

    An unknown country is noted but stays as written.
    """
    if value is None:
        return None
    if isinstance(value, str):
        if is_placeholder_text(value.strip()):
            return None
        return _build_location(*_split_text(value), None, of_contact)
    found = _build_location(
        line(value.country),
        line(value.country_iso2),
        line(value.state),
        line(value.state_code),
        line(value.city),
        code(value.zip_code, 20),
        line(value.continent),
        of_contact,
    )
    known = found and found.country_iso2
    if value.country is not None:
        notes.check(path + ".country", value.country, known or country_code(value.country))
    if value.country_iso2 is not None:
        notes.check(path + ".countryIso2", value.country_iso2, country_code(value.country_iso2))
    if value.coordinates and len(value.coordinates) == 2:
        return _with_coordinates(found, (value.coordinates[0], value.coordinates[1]))
    return found


@lru_cache(maxsize=32_768)
def _build_location(
    country: str | None,
    country_iso2: str | None,
    state: str | None,
    state_code: str | None,
    city: str | None,
    zip_code: str | None,
    continent: str | None,
    of_contact: bool,
) -> Location | None:
    """Return a location that rows with the same values share; callers must not change it."""
    found = normalise_location(
        place(country),
        country_iso2,
        place(state),
        place(state_code),
        label(city),
        label(zip_code),
        label(continent),
        None,
    )
    if found and of_contact and found.country_iso2:
        found.is_eu_contact = is_eu(found.country_iso2)
    return found


def _with_coordinates(found: Location | None, at: tuple[float, float]) -> Location | None:
    checked = normalise_location(None, None, None, None, None, None, None, at)
    if checked is None or found is None:
        return found or checked
    return Location(
        country=found.country,
        country_iso2=found.country_iso2,
        state=found.state,
        state_code=found.state_code,
        city=found.city,
        zip_code=found.zip_code,
        continent=found.continent,
        coordinates=checked.coordinates,
        is_eu_contact=found.is_eu_contact,
    )


def _is_us_state(value: str) -> bool:
    return value.upper() in subdivisions("US").by_code


_LocationTexts = tuple[str | None, str | None, str | None, str | None, str | None, str | None]


def _split_text(value: str) -> _LocationTexts:
    """Split `City, State, Country` and its shorter forms; a single part that is no country is the city.

    `San Francisco, CA` names no country, because the code of a US state may be a country's as well.
    """
    parts = [part for given in value.split(",") if (part := place(given))][:5]
    named = parts and unambiguous_country_code(parts[-1]) and not (len(parts) == 2 and _is_us_state(parts[1]))
    country = parts.pop() if named else None
    city = parts[0] if parts else None
    state = parts[-1] if len(parts) > 1 else None
    return country, None, state, None, city, None

"""Values of the filter by hiring location (docs/reference/signals.md#filters)."""

from firmograph.database.connection import Database
from firmograph.directory.normalise.gazetteer import fold_label
from firmograph.signals.answers import HiringPlaceValue
from firmograph.signals.hiring import store as hiring_store
from firmograph.signals.hiring.store import HiringLocation

MOST_LOCATIONS = 50


class HiringLocations:
    """Search over the locations of all stored job postings."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def search(self, query: str) -> list[HiringPlaceValue]:
        """Return locations that match by code or by a word beginning of country or state.

        Whole countries first, then by name; at most 50.
        """
        prefix = fold_label(query)
        with self._database.read() as session:
            found = [
                one for one in hiring_store.hiring_locations(session) if prefix and _matches(prefix, one)
            ]
        found.sort(key=lambda one: (bool(one.state), fold_label(one.country), fold_label(one.state)))
        return [_view(location) for location in found[:MOST_LOCATIONS]]


def _matches(prefix: str, location: HiringLocation) -> bool:
    if fold_label(location.state_code if location.state else location.country_code) == prefix:
        return True
    return any(f" {prefix}" in f" {fold_label(name)}" for name in (location.country, location.state) if name)


def _view(location: HiringLocation) -> HiringPlaceValue:
    if location.state:
        return HiringPlaceValue(location.country, location.state)
    return HiringPlaceValue(location.country)

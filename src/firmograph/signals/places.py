"""The places of hiring that signals can be narrowed by, as far as any is held (docs/reference/signals.md#filters)."""

from firmograph.database.connection import Database
from firmograph.directory.normalise.gazetteer import fold_label
from firmograph.signals import hiring_store
from firmograph.signals.answers import HiringPlaceValue
from firmograph.signals.hiring_store import Place

MOST_PLACES = 50


class HiringPlaces:
    """Places of postings, which are those of surges too."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def like(self, query: str) -> list[HiringPlaceValue]:
        """Those of which the country, the state or a word of these begins like the query, or has it for its code.

        Whole countries first, then by name; at most 50.
        """
        wanted = fold_label(query)
        with self._database.read() as session:
            found = [place for place in hiring_store.places(session) if wanted and _fits(wanted, place)]
        found.sort(key=lambda place: (bool(place.state), fold_label(place.country), fold_label(place.state)))
        return [_shown(place) for place in found[:MOST_PLACES]]


def _fits(wanted: str, place: Place) -> bool:
    if fold_label(place.state_code if place.state else place.country_code) == wanted:
        return True
    return any(_begins(fold_label(name), wanted) for name in (place.country, place.state) if name)


def _begins(name: str, wanted: str) -> bool:
    return f" {name}".find(f" {wanted}") >= 0


def _shown(place: Place) -> HiringPlaceValue:
    return HiringPlaceValue(place.country, place.state) if place.state else HiringPlaceValue(place.country)

"""Sightings of contacts by imports (docs/reference/retention.md)."""

from collections.abc import Sequence

from pyroaring import BitMap

from firmograph.database.connection import Session
from firmograph.ingest.imports import sighting_store as store
from firmograph.ingest.imports.sighting_store import Sighting
from firmograph.ingest.merging.store import contacts_of_source


def sight_contacts(
    session: Session, import_id: int, source: int, day: int, seen: BitMap, *, complete: bool
) -> Sighting | None:
    """Return the sighting of an import that saw contacts, None where it says nothing.

    One that is not complete counts only for a source that was complete before. Reads the rows of all contacts.
    """
    if complete:
        stated = BitMap()
        for page in contacts_of_source(session, source):
            stated.update(page)
        return Sighting(import_id, source, day, True, stated - seen)
    if store.was_complete(session, source):
        return Sighting(import_id, source, day, False, seen)
    return None


def find_base(sightings: Sequence[Sighting], last_day: int) -> Sighting | None:
    """Return the newest complete sighting of a source that is not younger than a day."""
    return next((one for one in reversed(sightings) if one.complete and one.day <= last_day), None)


def unseen_since(sightings: Sequence[Sighting], last_day: int) -> BitMap:
    """Return the contacts that a source has not seen since a day, given its sightings, oldest first."""
    base = find_base(sightings, last_day)
    if base is None:
        return BitMap()
    unseen = BitMap(base.numbers)
    for one in sightings[sightings.index(base) + 1 :]:
        unseen = unseen & one.numbers if one.complete else unseen - one.numbers
    return unseen

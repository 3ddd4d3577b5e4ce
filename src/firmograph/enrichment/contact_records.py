"""Contacts to reveal: their stored profiles, and the data points that an account pays for."""

from collections.abc import Collection, Mapping, Sequence

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.data_points import CONTACT_UNITS
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.result_slots import RESTRICTED, ItemErrorCode
from firmograph.directory.store import ContactProfile
from firmograph.enrichment.record_renderer import contact_units
from firmograph.security.record_ids import Entity


class ContactRecords:
    """Record kind (`reveal.RecordKind`) of contacts."""

    entity = Entity.CONTACT

    def __init__(self, lookup: RecordLookup) -> None:
        self._lookup = lookup

    def load(self, session: Session, numbers: Collection[int]) -> Mapping[int, ContactProfile]:
        return store.contact_profiles(session, numbers)

    def units(self, record: ContactProfile, reveal: frozenset[str]) -> Sequence[str]:
        units = contact_units(record.emails, record.phones)
        return units if len(reveal) == len(CONTACT_UNITS) else [unit for unit in units if unit in reveal]

    def errors(self, session: Session, numbers: Collection[int]) -> Mapping[int, ItemErrorCode]:
        return dict.fromkeys(self._lookup.restricted_numbers(session, numbers), RESTRICTED)

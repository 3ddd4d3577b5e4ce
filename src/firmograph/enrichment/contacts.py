"""Contacts in search, enrich, and search-and-enrich."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import UNSET, UnsetType

from firmograph.caller import AccountCaller, PreviewCaller, Request
from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.data_points import CONTACT_UNITS
from firmograph.directory.lookup.queries import ContactQuery
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.result_slots import NOT_FOUND, RESTRICTED, ItemErrorCode
from firmograph.directory.store import ContactProfile, LookupContact
from firmograph.enrichment.calls import FoundRecord
from firmograph.enrichment.item_queries import contact_queries
from firmograph.enrichment.record_renderer import RecordRenderer, contact_units
from firmograph.enrichment.reveal import Paid
from firmograph.enrichment.shapes import ContactEnrich, ContactItem, ContactSearch, ContactSearchAndEnrich
from firmograph.enrichment.signal_filter import ActivityFilter, contact_activity_filter
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


class EnrichedContacts(ContactRecords):
    """Contacts as the calls of search and enrich need them (`calls.EnrichedKind`)."""

    search_price = "contactSearch"

    def __init__(self, lookup: RecordLookup, renderer: RecordRenderer) -> None:
        super().__init__(lookup)
        self._renderer = renderer

    def items(self, body: ContactSearch | ContactSearchAndEnrich) -> Sequence[ContactItem]:
        return body.contacts

    def queries(self, body: ContactSearch | ContactSearchAndEnrich) -> list[ContactQuery]:
        return contact_queries(self._lookup.queries, body.contacts)

    def activity_filter(self, request: Request, body: ContactSearch) -> ActivityFilter:
        return contact_activity_filter(request, body)

    def find(self, session: Session, queries: Sequence[ContactQuery]) -> list[FoundRecord[LookupContact]]:
        return [
            FoundRecord(hit.contact, RESTRICTED if hit.restricted else NOT_FOUND)
            for hit in self._lookup.contacts(session, queries)
        ]

    def is_partial(self, record: LookupContact) -> bool:
        return not (record.has_emails or record.has_phones)

    def found(self, session: Session, numbers: Collection[int]) -> Mapping[int, LookupContact]:
        return store.contacts_by_number(session, numbers)

    def preview(
        self, caller: PreviewCaller, record: LookupContact, reference: str | UnsetType, paid: Paid
    ) -> bytes:
        units = contact_units(record.has_emails, record.has_phones)
        can_reveal = self._renderer.can_reveal(caller, self.entity, record.number, units, paid)
        return self._renderer.contact_preview(record, reference, can_reveal)

    def asked(self, body: ContactEnrich | ContactSearchAndEnrich) -> Sequence[str]:
        return CONTACT_UNITS if body.reveal is UNSET else body.reveal

    def reveal(self, body: ContactEnrich | ContactSearchAndEnrich) -> frozenset[str]:
        return frozenset(self.asked(body))

    def partner(self, body: ContactEnrich | ContactSearchAndEnrich) -> str | None:
        return None if body.partner_client_id is UNSET else body.partner_client_id

    def render(
        self,
        session: Session,
        caller: AccountCaller,
        records: Mapping[int, ContactProfile],
        reveal: frozenset[str],
        paid: Paid,
    ) -> Callable[[int, str | UnsetType], bytes]:
        def one(number: int, reference: str | UnsetType) -> bytes:
            record = records[number]
            units = contact_units(record.emails, record.phones)
            can_reveal = self._renderer.can_reveal(caller, self.entity, number, units, paid)
            for unit in units:
                if unit in reveal and (number, unit) not in paid:
                    record = record.without(unit)
            return self._renderer.enriched_contact(record, reference, reveal, can_reveal)

        return one

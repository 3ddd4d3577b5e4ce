"""Change batches: records read as entries, from the change sequence or in the order of their numbers."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import structlog

from firmograph.database.connection import Database, Session
from firmograph.directory.company_json import decode_company
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.records import Company, Contact, Location
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.port import Changes
from firmograph.prospecting.indexing import store
from firmograph.prospecting.indexing.company_entry import company_entry
from firmograph.prospecting.indexing.contact_entry import contact_entry
from firmograph.security.record_ids import Entity
from firmograph.signals.activity import NO_ACTIVITY, Activity
from firmograph.signals.activity_store import read_activity

log = structlog.get_logger("firmograph.search")

BATCH_SIZE: Final = 100
"""Changes applied at a time; searches wait for a few milliseconds at most."""
_CHUNK_SIZE: Final = 2_000
"""Records read at a time for a rebuild."""


def next_batch(
    database: Database, sequence: int, holds_company: Callable[[int], bool], limit: int = BATCH_SIZE
) -> Changes:
    """Read the next changes at one state of the database; without any, the position stays the same.

    A contact never comes before its company. Commits record new companies after their contacts, so companies that
    the index lacks are included.
    """
    settled = store.settled_position(database.session())
    with database.read() as session:
        changed = store.changes_after(session, sequence, limit, settled)
        contacts = store.contacts_by_number(session, changed.contacts)
        employers = {contact.company for contact in contacts if contact.company is not None}
        employers_ahead = {
            number for number in employers.difference(changed.companies) if not holds_company(number)
        }
        companies = store.companies_by_number(session, [*changed.companies, *sorted(employers_ahead)])
        company_signals = _activity(session, Entity.COMPANY, companies)
        contact_signals = _activity(session, Entity.CONTACT, contacts)
    company_entries = _entries(companies, company_signals, _company_entry)
    contact_entries = _entries(contacts, contact_signals, _contact_entry)
    return Changes(
        changed.sequence,
        companies=company_entries,
        contacts=contact_entries,
        removed_companies=_removed(changed.companies, company_entries),
        removed_contacts=_removed(changed.contacts, contact_entries),
    )


class RecordCounts(NamedTuple):
    companies: int
    contacts: int

    @property
    def all(self) -> int:
        return self.companies + self.contacts


def record_counts(database: Database) -> RecordCounts:
    """Return upper bounds of the numbers of records."""
    session = database.session()
    return RecordCounts(
        store.highest_number(session, Entity.COMPANY), store.highest_number(session, Entity.CONTACT)
    )


def all_companies(database: Database) -> Iterator[list[Entry]]:
    """Yield every company in chunks, in the order of record numbers."""
    return _all_entries(database, Entity.COMPANY, store.companies_after, _company_entry)


def all_contacts(database: Database) -> Iterator[list[Entry]]:
    """Yield every contact in chunks, in the order of record numbers."""
    return _all_entries(database, Entity.CONTACT, store.contacts_after, _contact_entry)


def _all_entries(
    database: Database,
    entity: Entity,
    records_after: Callable[..., list[Any]],
    entry: Callable[[Any, Activity], Entry],
) -> Iterator[list[Entry]]:
    number = 0
    while records := records_after(database.session(), number, _CHUNK_SIZE):
        number = records[-1].number
        # signals that change after the records were read are followed like all later changes
        yield _entries(records, _activity(database.session(), entity, records), entry)


def warm_up() -> None:
    """Load the dependencies of entries ahead of time: the first entry takes half a second, which blocks requests."""
    location = Location(city="Columbus", country_iso2="US")
    contact_entry(1, None, Contact(location=location))
    company_entry(1, Company(location=location))


def _activity(session: Session, entity: Entity, records: list[Any]) -> dict[int, Activity]:
    return read_activity(session, entity, [record.number for record in records])


def _entries(
    records: list[Any], activity: dict[int, Activity], entry: Callable[[Any, Activity], Entry]
) -> list[Entry]:
    """Return the entries of records. A record that fails is skipped, so that it does not block all later changes."""
    entries = []
    for record in records:
        try:
            entries.append(entry(record, activity.get(record.number, NO_ACTIVITY)))
        except Exception:
            log.exception("record left out of the search index", number=record.number)
    return entries


def _company_entry(record: store.StoredCompany, activity: Activity) -> Entry:
    return company_entry(record.number, decode_company(record.fragments), activity)


def _contact_entry(record: store.StoredContact, activity: Activity) -> Entry:
    return contact_entry(record.number, record.company, decode_contact(record.fragments), activity)


def _removed(numbers: list[int], entries: list[Entry]) -> list[int]:
    present = {entry.number for entry in entries}
    return [number for number in numbers if number not in present]

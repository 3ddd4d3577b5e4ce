"""Records as entries of an index: slices of the change sequence, and all records in the order of their numbers."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import structlog

from firmograph.database.connection import Database, Session
from firmograph.directory.company_json import company_record
from firmograph.directory.contact_json import contact_record
from firmograph.directory.records import Company, Contact, Location
from firmograph.prospecting.engines.document import Entry
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.port import Changes
from firmograph.prospecting.indexing import store
from firmograph.prospecting.indexing.company_entry import company_entry
from firmograph.prospecting.indexing.contact_entry import contact_entry
from firmograph.security.record_ids import Entity
from firmograph.signals.activity import NONE, Activity
from firmograph.signals.activity_store import activity_of

log = structlog.get_logger("firmograph.search")

SLICE: Final = 100
"""Changes taken up at a time, so that a search waits some milliseconds for them at most."""
_RANGE: Final = 2_000
"""Records read at a time to fill an index anew."""


def slice_after(
    database: Database, sequence: int, holds_company: Callable[[int], bool], most: int = SLICE
) -> Changes:
    """The changes that come next, read at one state of the database; the same place again when there are none.

    A contact never comes before its company: a commit notes the companies that it made after their people, so
    those that the index does not hold yet are read along.
    """
    until = store.settled(database.session())
    with database.read() as session:
        changed = store.changed_since(session, sequence, most, until)
        contacts = store.contacts_of(session, changed.contacts)
        employers = {contact.company for contact in contacts if contact.company is not None}
        ahead = {number for number in employers.difference(changed.companies) if not holds_company(number)}
        companies = store.companies_of(session, [*changed.companies, *sorted(ahead)])
        company_signals = _activity(session, Entity.COMPANY, companies)
        contact_signals = _activity(session, Entity.CONTACT, contacts)
    company_entries = _entries(companies, company_signals, _of_company)
    contact_entries = _entries(contacts, contact_signals, _of_contact)
    return Changes(
        changed.sequence,
        companies=company_entries,
        contacts=contact_entries,
        removed_companies=_missing(changed.companies, company_entries),
        removed_contacts=_missing(changed.contacts, contact_entries),
    )


def catch_up(
    engine: MemoryEngine,
    database: Database,
    goal: int,
    *,
    apply: Callable[[Changes], None] | None = None,
    stopping: Callable[[], bool] = lambda: False,
    moved: Callable[[], None] = lambda: None,
) -> None:
    """Apply slices until the engine has reached a place, or there is no more.

    One in service is given an `apply` of its own, as requests take part in changing it.
    """
    apply = apply or engine.apply

    def holds_company(number: int) -> bool:
        return engine.companies.documents.find(number) is not None

    while engine.applied < goal and not stopping():
        changes = slice_after(database, engine.applied, holds_company)
        if changes.sequence == engine.applied:
            return
        apply(changes)
        moved()


class Sizes(NamedTuple):
    companies: int
    contacts: int

    @property
    def all(self) -> int:
        return self.companies + self.contacts


def sizes(database: Database) -> Sizes:
    """How many records there are at most."""
    session = database.session()
    return Sizes(store.size(session, Entity.COMPANY), store.size(session, Entity.CONTACT))


def all_companies(database: Database) -> Iterator[list[Entry]]:
    """Every company, some at a time, in the order of their numbers."""
    return _all(database, Entity.COMPANY, store.companies_after, _of_company)


def all_contacts(database: Database) -> Iterator[list[Entry]]:
    """Every contact, some at a time, in the order of their numbers."""
    return _all(database, Entity.CONTACT, store.contacts_after, _of_contact)


def _all(
    database: Database,
    entity: Entity,
    records_after: Callable[..., list[Any]],
    entry: Callable[[Any, Activity], Entry],
) -> Iterator[list[Entry]]:
    number = 0
    while held := records_after(database.session(), number, _RANGE):
        number = held[-1].number
        # signals that come, or go, after the records were read are followed as all changes since
        yield _entries(held, _activity(database.session(), entity, held), entry)


def warm_up() -> None:
    """Load what entries are made with: the first one takes half a second, in which nobody is answered."""
    place = Location(city="Columbus", country_iso2="US")
    contact_entry(1, None, Contact(location=place))
    company_entry(1, Company(location=place))


def _activity(session: Session, entity: Entity, held: list[Any]) -> dict[int, Activity]:
    return activity_of(session, entity, [record.number for record in held])


def _entries(
    held: list[Any], activity: dict[int, Activity], entry: Callable[[Any, Activity], Entry]
) -> list[Entry]:
    """Of each record its entry; one that cannot be made must not keep all later changes from being found."""
    entries = []
    for record in held:
        try:
            entries.append(entry(record, activity.get(record.number, NONE)))
        except Exception:
            log.exception("a record is left out of the search index", number=record.number)
    return entries


def _of_company(held: store.HeldCompany, activity: Activity) -> Entry:
    return company_entry(held.number, company_record(held.fragments), activity)


def _of_contact(held: store.HeldContact, activity: Activity) -> Entry:
    return contact_entry(held.number, held.company, contact_record(held.fragments), activity)


def _missing(numbers: list[int], entries: list[Entry]) -> list[int]:
    there = {entry.number for entry in entries}
    return [number for number in numbers if number not in there]

"""Change batches: the change sequence as decoded records, read once for any number of indexes."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

import structlog
from pyroaring import BitMap

from firmograph.database.connection import Database, Session
from firmograph.directory.company_json import decode_company
from firmograph.directory.contact_json import decode_contact
from firmograph.directory.records import Company, Contact
from firmograph.indexing import store
from firmograph.security.record_ids import Entity
from firmograph.signals.activity.record_activity import NO_ACTIVITY, Activity
from firmograph.signals.activity.store import read_activity

log = structlog.get_logger("firmograph.indexing")

BATCH_SIZE: Final = 100
"""Changes applied at a time; searches wait for a few milliseconds at most."""

_CHANGES: Final = 10_000
"""Changes read at a time where only their records' numbers count."""

T = TypeVar("T")


class DecodedCompany(NamedTuple):
    number: int
    record: Company
    activity: Activity


class DecodedContact(NamedTuple):
    number: int
    company: int | None
    """Number of the company record."""
    record: Contact
    activity: Activity


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """Consecutive changes, with the changed records as they are at one state of the database.

    Applying the same batch twice, or an older reading before a newer one, ends in the newer state.
    """

    sequence: int
    """Position in the change sequence that is reached once these are applied."""
    companies: Sequence[DecodedCompany] = ()
    contacts: Sequence[DecodedContact] = ()
    employers: Sequence[DecodedCompany] = ()
    """Companies of these contacts that have not changed, as far as some index asked for them."""
    removed_companies: Sequence[int] = ()
    removed_contacts: Sequence[int] = ()


MissingCompanies = Callable[[Collection[int]], Collection[int]]
"""Returns which employers of changed contacts an index has to be given along with them."""


def next_batch(
    database: Database,
    sequence: int,
    missing_companies: MissingCompanies,
    *,
    until: int | None = None,
    limit: int = BATCH_SIZE,
) -> ChangeBatch:
    """Read the next changes at one state of the database, up to `until`; without any, the position stays the same.

    A contact never comes before its company. Commits record new companies after their contacts, so companies that
    an index lacks are included. `until` is a position that another index has applied.
    """
    settled = store.settled_position(database.session())
    last = settled if until is None else min(until, settled)
    with database.read() as session:
        changed = store.changes_after(session, sequence, limit, last)
        contacts = store.contacts_by_number(session, changed.contacts)
        employers = {contact.company for contact in contacts if contact.company is not None}
        missing = missing_companies(employers.difference(changed.companies))
        companies = store.companies_by_number(session, [*changed.companies, *sorted(missing)])
        decoded_companies = decode_companies(session, companies)
        decoded_contacts = decode_contacts(session, contacts)
    requested = set(changed.companies)
    return ChangeBatch(
        # positions without a change, as of a writer that was rolled back, are passed over
        until if until is not None and until == last and changed.is_last else changed.sequence,
        companies=[company for company in decoded_companies if company.number in requested],
        contacts=decoded_contacts,
        employers=[company for company in decoded_companies if company.number not in requested],
        removed_companies=_without(changed.companies, decoded_companies),
        removed_contacts=_without(changed.contacts, decoded_contacts),
    )


def reached_position(database: Database) -> int:
    """Return the last settled position of the change sequence; 0 before the first change."""
    return store.head(database.session())


def changed_numbers(database: Database, entity: Entity, after: int, until: int) -> BitMap:
    """Return the numbers of records that changed between two settled positions, deleted ones too."""
    numbers, sequence, is_last = BitMap(), after, False
    while not is_last:
        changed = store.changes_after(database.session(), sequence, _CHANGES, until)
        numbers.update(changed.contacts if entity is Entity.CONTACT else changed.companies)
        sequence, is_last = changed.sequence, changed.is_last
    return numbers


def decode_companies(session: Session, companies: list[store.StoredCompany]) -> list[DecodedCompany]:
    """Return the companies with their activity, without those that cannot be decoded."""
    return _decode_all(session, Entity.COMPANY, companies, _decode_company)


def decode_contacts(session: Session, contacts: list[store.StoredContact]) -> list[DecodedContact]:
    """Return the contacts with their activity, without those that cannot be decoded."""
    return _decode_all(session, Entity.CONTACT, contacts, _decode_contact)


def _decode_all(
    session: Session, entity: Entity, records: list[Any], decode: Callable[[Any, Activity], T]
) -> list[T]:
    """Decode records. One that cannot be decoded is left out, so that it does not block all later changes."""
    activity = read_activity(session, entity, [record.number for record in records])
    decoded = []
    for record in records:
        try:
            decoded.append(decode(record, activity.get(record.number, NO_ACTIVITY)))
        except Exception:
            log.exception("record left out of the indexes", number=record.number)
    return decoded


def _decode_company(stored: store.StoredCompany, activity: Activity) -> DecodedCompany:
    return DecodedCompany(stored.number, decode_company(stored.fragments), activity)


def _decode_contact(stored: store.StoredContact, activity: Activity) -> DecodedContact:
    return DecodedContact(stored.number, stored.company, decode_contact(stored.fragments), activity)


def _without(numbers: list[int], decoded: Sequence[DecodedCompany] | Sequence[DecodedContact]) -> list[int]:
    present = {record.number for record in decoded}
    return [number for number in numbers if number not in present]

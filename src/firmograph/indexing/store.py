"""SQL of the search index: the change sequence, and records as they are indexed."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Row, Session
from firmograph.directory.company_json import CompanyParts
from firmograph.directory.contact_json import ContactParts
from firmograph.directory.tables import changes, companies, contacts, installation
from firmograph.indexing.removed_records import NONE_REMOVED, RemovedRecords
from firmograph.security.record_ids import Entity

_limit = sa.bindparam("limit", type_=sa.Integer)
_after = sa.bindparam("after", type_=sa.BigInteger)
_until = sa.bindparam("until", type_=sa.BigInteger)
_head = sa.select(sa.func.coalesce(sa.func.max(changes.c.sequence), 0))
_head_until = _head.where(changes.c.sequence <= _until)
_identity = sa.select(installation.c.value).where(installation.c.name == "identity")
_state = sa.select(_head.scalar_subquery(), _identity.scalar_subquery())
_state_until = sa.select(_head_until.scalar_subquery(), _identity.scalar_subquery())
_changes_after = (
    sa.select(changes.c.sequence, changes.c.entity, changes.c.entity_id)
    .where(changes.c.sequence > _after, changes.c.sequence <= _until)
    .order_by(changes.c.sequence)
    .limit(_limit)
)
_changed_company = (
    sa.select(changes.c.entity_id)
    .where(
        changes.c.sequence > _after,
        changes.c.sequence <= _until,
        changes.c.entity == sa.literal_column(str(int(Entity.COMPANY))),
    )
    .limit(1)
)
_MOST_BEHIND = 2_000
"""Changes after a position that are looked through for a company."""
_later = sa.select(changes.c.entity).where(changes.c.sequence > _after).order_by(changes.c.sequence)
_later_companies = _later.limit(_MOST_BEHIND).subquery()
_behind = sa.select(
    sa.func.count(),
    sa.func.count(sa.case((_later_companies.c.entity == sa.literal_column(str(int(Entity.COMPANY))), 1))),
).select_from(_later_companies)
# PostgreSQL only: the last allocated position, and the lowest position after which an open writer allocates its
# own; each writer holds an advisory lock on its position (migration 0003)
_last_allocated = sa.text("SELECT last_value FROM changes_sequence_seq")
_first_open = sa.text(
    "SELECT min(((classid::bigint << 32) | objid::bigint) & ((1::bigint << 56) - 1)) FROM pg_locks"
    " WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 24 = 70"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
# the 1 is inline: a parameter would keep the partial index from being used
_removed = sa.select(changes.c.entity, changes.c.entity_id).where(
    sa.text("changes.removed = 1"), changes.c.sequence > _after
)
_sizes = {
    Entity.CONTACT: sa.select(sa.func.coalesce(sa.func.max(contacts.c.id), 0)),
    Entity.COMPANY: sa.select(sa.func.coalesce(sa.func.max(companies.c.id), 0)),
}
_contacts = sa.select(*contacts.c)
_companies = sa.select(*companies.c)
_contacts_in = _contacts.where(contacts.c.id.in_(sa.bindparam("numbers", expanding=True)))
_companies_in = _companies.where(companies.c.id.in_(sa.bindparam("numbers", expanding=True)))
_contacts_after = _contacts.where(contacts.c.id > _after).order_by(contacts.c.id).limit(_limit)
_companies_after = _companies.where(companies.c.id > _after).order_by(companies.c.id).limit(_limit)
# profiles hold no record numbers, which depend on the order of imports
_contact_profiles_after = (
    sa.select(contacts.c.id, contacts.c.profile, sa.literal_column("0"))
    .where(contacts.c.id > _after)
    .order_by(contacts.c.id)
    .limit(_limit)
)
_company_profiles_after = (
    sa.select(companies.c.id, companies.c.profile, companies.c.partial)
    .where(companies.c.id > _after)
    .order_by(companies.c.id)
    .limit(_limit)
)


class ChangedRecords(NamedTuple):
    """Records of a range of the change sequence, each once."""

    sequence: int
    """Last position of the range."""
    companies: list[int]
    contacts: list[int]
    is_last: bool
    """Whether the range holds every change up to the requested position."""


class StoredContact(NamedTuple):
    number: int
    company: int | None
    fragments: ContactParts


class StoredCompany(NamedTuple):
    number: int
    fragments: CompanyParts


class StoredProfile(NamedTuple):
    """What all responses show of a record, without its id."""

    number: int
    content: bytes
    partial: int
    """1 for a partial company."""


NO_LIMIT = 2**62


def settled_position(session: Session) -> int:
    """Return the position up to which no further change can appear, for a session outside any transaction.

    Readers of the sequence call this first and read no further. An open writer has allocated, or will allocate,
    positions beyond it, and later positions may have been committed already. The embedded database has one writer,
    so positions are committed in order and everything is settled.

    In PostgreSQL the order of the two statements matters. A writer with a position up to the first result had
    announced itself before. If the second statement does not find it, it has ended, and its positions are visible
    to later reads.
    """
    if session.places_are_ordered:
        return NO_LIMIT
    last_allocated: int = session.all(_last_allocated)[0][0]
    first_open: int | None = session.all(_first_open)[0][0]
    return last_allocated if first_open is None else min(last_allocated, first_open)


def head(session: Session) -> int:
    """Return the last settled position of the change sequence; 0 before the first change."""
    settled = settled_position(session)
    row = session.one(_head) if settled == NO_LIMIT else session.one(_head_until, {"until": settled})
    return row[0] if row else 0


def has_lost_position(session: Session, sequence: int) -> bool:
    """Check whether the database lacks a position that was read from it, and every later one."""
    row = session.one(_head)
    return row is None or row[0] < sequence


class SequenceState(NamedTuple):
    """Position and identity of a database. Another identity means another database, whatever its numbers."""

    head: int
    """Last settled position of the change sequence."""
    identity: str


def sequence_state(session: Session) -> SequenceState:
    """Return both, read at one moment."""
    settled = settled_position(session)
    row = session.one(_state) if settled == NO_LIMIT else session.one(_state_until, {"until": settled})
    return SequenceState(row[0], row[1] or "") if row else SequenceState(0, "")


def identity(session: Session) -> str:
    """Return the identity of this database, created with its schema and again when a backup replaces it."""
    row = session.one(_identity)
    return row[0] if row else ""


def changes_after(session: Session, sequence: int, limit: int, settled: int) -> ChangedRecords:
    """Return the records of at most `limit` changes after a position, up to one from `settled_position`."""
    rows = session.all(_changes_after, {"after": sequence, "until": settled, "limit": limit})
    return ChangedRecords(
        rows[-1][0] if rows else sequence,
        list(dict.fromkeys(number for _, entity, number in rows if entity == Entity.COMPANY)),
        list(dict.fromkeys(number for _, entity, number in rows if entity == Entity.CONTACT)),
        len(rows) < limit,
    )


def has_changed_company(session: Session, after: int, until: int) -> bool:
    """Return whether a company changed after a position, up to a settled one."""
    return session.one(_changed_company, {"after": after, "until": until}) is not None


def lacks_no_company(session: Session, after: int) -> bool:
    """Return whether few changes follow a position, and no company is among them."""
    row = session.one(_behind, {"after": after})
    return row is not None and row[0] < _MOST_BEHIND and row[1] == 0


def removed_since(session: Session, sequence: int) -> RemovedRecords:
    """Return the records deleted after a position; takes microseconds if there are none."""
    rows = session.all(_removed, {"after": sequence})
    if not rows:
        return NONE_REMOVED
    return RemovedRecords(
        frozenset(number for entity, number in rows if entity == Entity.COMPANY),
        frozenset(number for entity, number in rows if entity == Entity.CONTACT),
    )


def highest_number(session: Session, entity: Entity) -> int:
    """Return the highest record number, an upper bound of the number of records, because counting takes long."""
    row = session.one(_sizes[entity])
    return row[0] if row else 0


def contacts_by_number(session: Session, numbers: Sequence[int]) -> list[StoredContact]:
    """Return those of the contacts that exist."""
    return [_contact(row) for row in session.all_in(_contacts_in, "numbers", numbers)] if numbers else []


def companies_by_number(session: Session, numbers: Sequence[int]) -> list[StoredCompany]:
    """Return those of the companies that exist."""
    return [_company(row) for row in session.all_in(_companies_in, "numbers", numbers)] if numbers else []


def contacts_after(session: Session, number: int, limit: int) -> list[StoredContact]:
    """Return the next contacts in the order of their numbers."""
    return [_contact(row) for row in session.all(_contacts_after, {"after": number, "limit": limit})]


def companies_after(session: Session, number: int, limit: int) -> list[StoredCompany]:
    """Return the next companies in the order of their numbers."""
    return [_company(row) for row in session.all(_companies_after, {"after": number, "limit": limit})]


def contact_profiles_after(session: Session, number: int, limit: int) -> list[StoredProfile]:
    """Return the profiles of the next contacts in the order of their numbers."""
    return [
        StoredProfile(*row) for row in session.all(_contact_profiles_after, {"after": number, "limit": limit})
    ]


def company_profiles_after(session: Session, number: int, limit: int) -> list[StoredProfile]:
    """Return the profiles of the next companies in the order of their numbers."""
    return [
        StoredProfile(*row) for row in session.all(_company_profiles_after, {"after": number, "limit": limit})
    ]


def _contact(row: Row) -> StoredContact:
    return StoredContact(row[0], row[1], ContactParts(*row[2:]))


def _company(row: Row) -> StoredCompany:
    return StoredCompany(row[0], CompanyParts(*row[1:]))

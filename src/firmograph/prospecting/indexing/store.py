"""All SQL of the search index: the change sequence, and records as indexes read them."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Row, Session
from firmograph.directory.company_json import CompanyFragments
from firmograph.directory.contact_json import ContactFragments
from firmograph.directory.tables import changes, companies, contacts, installation
from firmograph.security.record_ids import Entity

_most = sa.bindparam("most", type_=sa.Integer)
_after = sa.bindparam("after", type_=sa.BigInteger)
_until = sa.bindparam("until", type_=sa.BigInteger)
_head = sa.select(sa.func.coalesce(sa.func.max(changes.c.sequence), 0))
_head_until = _head.where(changes.c.sequence <= _until)
_identity = sa.select(installation.c.value).where(installation.c.name == "identity")
_place = sa.select(_head.scalar_subquery(), _identity.scalar_subquery())
_place_until = sa.select(_head_until.scalar_subquery(), _identity.scalar_subquery())
_changed = (
    sa.select(changes.c.sequence, changes.c.entity, changes.c.entity_id)
    .where(changes.c.sequence > _after, changes.c.sequence <= _until)
    .order_by(changes.c.sequence)
    .limit(_most)
)
# of PostgreSQL: the last place that was given out, and the places after which open writers take theirs; each writer
# holds a lock with its own (migration 0003)
_given_out = sa.text("SELECT last_value FROM changes_sequence_seq")
_announced = sa.text(
    "SELECT min(((classid::bigint << 32) | objid::bigint) & ((1::bigint << 56) - 1)) FROM pg_locks"
    " WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 24 = 70"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
# the 1 stands in the text: a parameter there would keep the partial index from being used
_removed = sa.select(changes.c.entity_id).where(sa.text("changes.removed = 1"), changes.c.sequence > _after)
_sizes = {
    Entity.CONTACT: sa.select(sa.func.coalesce(sa.func.max(contacts.c.id), 0)),
    Entity.COMPANY: sa.select(sa.func.coalesce(sa.func.max(companies.c.id), 0)),
}
_contacts = sa.select(*contacts.c)
_companies = sa.select(*companies.c)
_contacts_in = _contacts.where(contacts.c.id.in_(sa.bindparam("numbers", expanding=True)))
_companies_in = _companies.where(companies.c.id.in_(sa.bindparam("numbers", expanding=True)))
_contacts_after = _contacts.where(contacts.c.id > _after).order_by(contacts.c.id).limit(_most)
_companies_after = _companies.where(companies.c.id > _after).order_by(companies.c.id).limit(_most)


class Changed(NamedTuple):
    """A stretch of the change sequence: which records, each once."""

    sequence: int
    """The place that it reaches."""
    companies: list[int]
    contacts: list[int]


class HeldContact(NamedTuple):
    number: int
    company: int | None
    fragments: ContactFragments


class HeldCompany(NamedTuple):
    number: int
    fragments: CompanyFragments


EVERYTHING = 2**62


def settled(session: Session) -> int:
    """The place up to which no change can come any more; for a session outside any transaction.

    Whoever reads the sequence asks for this first and reads no further: a writer that is still open has taken, or
    will take, places beyond it, and others that came later may have committed already (decisions E, Sequence).
    The embedded database has one writer, so places are committed in their order, and everything is settled.

    In PostgreSQL the order of the two questions matters. A writer with a place up to the first answer had announced
    itself before; if the second question does not find it, it has ended, and whoever reads from now on sees its places.
    """
    if session.places_are_ordered:
        return EVERYTHING
    given_out: int = session.all(_given_out)[0][0]
    announced: int | None = session.all(_announced)[0][0]
    return given_out if announced is None else min(given_out, announced)


def head(session: Session) -> int:
    """The last place of the change sequence that is settled; 0 when nothing has changed yet."""
    until = settled(session)
    row = session.one(_head) if until == EVERYTHING else session.one(_head_until, {"until": until})
    return row[0] if row else 0


def has_lost(session: Session, sequence: int) -> bool:
    """Whether the database no longer has a place that was read from it, nor a later one."""
    row = session.one(_head)
    return row is None or row[0] < sequence


class Place(NamedTuple):
    """Where a database stands: another identity is another database, whatever its numbers say."""

    head: int
    """The last place of the change sequence that is settled."""
    identity: str


def place(session: Session) -> Place:
    """Both as of one moment."""
    until = settled(session)
    row = session.one(_place) if until == EVERYTHING else session.one(_place_until, {"until": until})
    return Place(row[0], row[1] or "") if row else Place(0, "")


def identity(session: Session) -> str:
    """What tells this database from every other; made with its schema, and anew when a backup takes its place."""
    row = session.one(_identity)
    return row[0] if row else ""


def changed_since(session: Session, sequence: int, most: int, until: int) -> Changed:
    """The records of at most so many changes after a place, and up to one that was `settled` before."""
    rows = session.all(_changed, {"after": sequence, "until": until, "most": most})
    return Changed(
        rows[-1][0] if rows else sequence,
        list(dict.fromkeys(number for _, entity, number in rows if entity == Entity.COMPANY)),
        list(dict.fromkeys(number for _, entity, number in rows if entity == Entity.CONTACT)),
    )


def removed_since(session: Session, sequence: int) -> list[int]:
    """The contacts that were deleted after a place; microseconds when there are none."""
    return [row[0] for row in session.all(_removed, {"after": sequence})]


def size(session: Session, entity: Entity) -> int:
    """How many records there are, those that were deleted included: the last number, as counting takes long."""
    row = session.one(_sizes[entity])
    return row[0] if row else 0


def contacts_of(session: Session, numbers: Sequence[int]) -> list[HeldContact]:
    """Those of these contacts that are there."""
    return [_contact(row) for row in session.all_in(_contacts_in, "numbers", numbers)] if numbers else []


def companies_of(session: Session, numbers: Sequence[int]) -> list[HeldCompany]:
    """Those of these companies that are there."""
    return [_company(row) for row in session.all_in(_companies_in, "numbers", numbers)] if numbers else []


def contacts_after(session: Session, number: int, most: int) -> list[HeldContact]:
    """The next contacts, in the order of their numbers."""
    return [_contact(row) for row in session.all(_contacts_after, {"after": number, "most": most})]


def companies_after(session: Session, number: int, most: int) -> list[HeldCompany]:
    """The next companies, in the order of their numbers."""
    return [_company(row) for row in session.all(_companies_after, {"after": number, "most": most})]


def _contact(row: Row) -> HeldContact:
    return HeldContact(row[0], row[1], ContactFragments(*row[2:]))


def _company(row: Row) -> HeldCompany:
    return HeldCompany(row[0], CompanyFragments(*row[1:]))

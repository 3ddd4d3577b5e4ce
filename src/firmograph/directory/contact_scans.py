"""SQL that reads the addresses and numbers of contacts, of all of them or since a change."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import Row, Session
from firmograph.directory.contact_json import ContactParts
from firmograph.directory.tables import changes, contacts, counters
from firmograph.security.record_ids import Entity

_PAGE: Final = 5_000
"""Contacts per page."""

_identifiers = sa.select(contacts.c.id, contacts.c.emails, contacts.c.phones, contacts.c.extras)
_after = _identifiers.where(contacts.c.id > bindparam("number")).order_by(contacts.c.id).limit(_PAGE)
_of = _identifiers.where(column_in(contacts.c.id, "numbers"))
_last = sa.select(sa.func.max(contacts.c.id))
_counter = sa.select(counters.c.value).where(counters.c.name == bindparam("name"))
_changed = _identifiers.select_from(changes.join(contacts, contacts.c.id == changes.c.entity_id)).where(
    changes.c.sequence > bindparam("after", type_=sa.BigInteger),
    changes.c.sequence <= bindparam("last", type_=sa.BigInteger),
    changes.c.entity == int(Entity.CONTACT),
)

StoredIdentifiers = tuple[int, ContactParts]
"""A contact with its addresses and numbers; the other parts are empty."""


def identifiers_after(session: Session, number: int) -> list[StoredIdentifiers]:
    """Return the next contacts after a number."""
    return [_stored(row) for row in session.all(_after, {"number": number})]


def identifiers_of(session: Session, numbers: Sequence[int]) -> list[StoredIdentifiers]:
    """Return those of these contacts that exist."""
    return [_stored(row) for row in session.all_in(_of, "numbers", numbers)]


def changed_identifiers(session: Session, after: int, last: int) -> list[StoredIdentifiers]:
    """Return the contacts that changed between two positions of the change sequence."""
    return [_stored(row) for row in session.all(_changed, {"after": after, "last": last})]


def last_contact(session: Session) -> int:
    """Return the highest number of a contact."""
    row = session.one(_last)
    return row[0] or 0 if row else 0


def read_counter(session: Session, name: str) -> int:
    """Return the value of a counter, 0 without one."""
    row = session.one(_counter, {"name": name})
    return int(row[0]) if row else 0


def _stored(row: Row) -> StoredIdentifiers:
    parts: Any = row[1:]
    return row[0], ContactParts(b"", b"", *parts)

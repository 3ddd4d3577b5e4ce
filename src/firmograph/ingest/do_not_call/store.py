"""SQL of marking contacts; every function runs inside the caller's transaction."""

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.directory.tables import contacts

_PAGE = 5_000
"""Rows per page."""

_phones_after = (
    sa.select(contacts.c.id, contacts.c.phones)
    .where(contacts.c.id > bindparam("number"), contacts.c.phones.is_not(None))
    .order_by(contacts.c.id)
    .limit(_PAGE)
)
_last = sa.select(sa.func.max(contacts.c.id))


def contacts_with_phones(session: Session, after: int) -> list[tuple[int, bytes]]:
    """Return the next contacts after a number that have telephone numbers, with these as stored."""
    return [(row[0], row[1]) for row in session.all(_phones_after, {"number": after})]


def last_contact(session: Session) -> int:
    """Return the highest number of a contact."""
    row = session.one(_last)
    return row[0] or 0 if row else 0

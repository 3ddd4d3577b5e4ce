"""SQL of matching contacts; every function runs inside the caller's transaction."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.directory.contact_json import ContactParts
from firmograph.directory.tables import contacts

_PAGE = 5_000
"""Rows per page."""

_identifiers = sa.select(contacts.c.id, contacts.c.emails, contacts.c.phones, contacts.c.extras)
_after = _identifiers.where(contacts.c.id > bindparam("number")).order_by(contacts.c.id).limit(_PAGE)
_of = _identifiers.where(column_in(contacts.c.id, "numbers"))

StoredIdentifiers = tuple[int, ContactParts]
"""A contact with its addresses and numbers; the other parts are empty."""


def identifiers_after(session: Session, number: int) -> list[StoredIdentifiers]:
    """Return the next contacts after a number."""
    return [_stored(row) for row in session.all(_after, {"number": number})]


def identifiers_of(session: Session, numbers: Sequence[int]) -> list[StoredIdentifiers]:
    """Return those of these contacts that exist."""
    return [_stored(row) for row in session.all_in(_of, "numbers", numbers)]


def _stored(row: Sequence[object]) -> StoredIdentifiers:
    number, emails, phones, extras = row
    return number, ContactParts(b"", b"", emails, phones, extras)  # type: ignore[return-value, arg-type]

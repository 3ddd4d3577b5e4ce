"""SQL of deletion lists; every function runs inside the caller's transaction."""

from collections.abc import Collection, Iterator, Sequence

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.privacy.deletion_lists.tables import deletion_hashes

HashRow = tuple[bytes, int, int]
"""Digest, status and day."""

_PAGE = 20_000
"""Rows per page."""

_h = deletion_hashes.c
_any = sa.select(_h.digest).limit(1)
_of = sa.select(*_h).where(column_in(_h.digest, "digests"))
_new = insert(deletion_hashes).values({column.name: bindparam(column.name) for column in _h})
_add = _new.on_conflict_do_nothing()
_put = _new.on_conflict_do_update(index_elements=[_h.digest], set_={"status": _new.excluded.status})
_delete = sa.delete(deletion_hashes).where(_h.digest == bindparam("digest"))
_after = sa.select(*_h).where(_h.digest > bindparam("after")).order_by(_h.digest).limit(_PAGE)


def has_hashes(session: Session) -> bool:
    return session.one(_any) is not None


def select_rows(session: Session, digests: Collection[bytes]) -> list[HashRow]:
    """Return those of these digests that are stored."""
    return [(row[0], row[1], row[2]) for row in session.all_in(_of, "digests", sorted(digests))]


def add_rows(session: Session, rows: Sequence[HashRow]) -> None:
    """Add digests; those that are stored keep their status."""
    session.many(_add, rows)


def put_rows(session: Session, rows: Sequence[HashRow]) -> None:
    """Add digests, or replace their status."""
    session.many(_put, rows)


def delete_digests(session: Session, digests: Collection[bytes]) -> None:
    session.many(_delete, [(digest,) for digest in digests])


def select_pages(session: Session) -> Iterator[list[HashRow]]:
    """Yield all rows in pages, in the order of their digests."""
    after = b""
    while page := [(row[0], row[1], row[2]) for row in session.all(_after, {"after": after})]:
        yield page
        after = page[-1][0]

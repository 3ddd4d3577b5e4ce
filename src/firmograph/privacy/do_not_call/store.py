"""SQL of the do-not-call registry; every function runs inside the caller's transaction."""

from collections.abc import Collection, Iterator, Sequence

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.privacy.do_not_call.tables import do_not_call_numbers

_PAGE = 20_000
"""Rows per page."""

_n = do_not_call_numbers.c
_any = sa.select(_n.digest).limit(1)
_listed = sa.select(_n.digest).where(column_in(_n.digest, "digests"))
_count = sa.select(sa.func.count()).select_from(do_not_call_numbers)
_by_day = sa.select(_n.day, sa.func.count()).group_by(_n.day).order_by(_n.day)
_insert = (
    insert(do_not_call_numbers)
    .values(digest=bindparam("digest"), day=bindparam("day"))
    .on_conflict_do_nothing()
)
_delete = sa.delete(do_not_call_numbers).where(_n.digest == bindparam("digest"))
_after = sa.select(_n.digest, _n.day).where(_n.digest > bindparam("after")).order_by(_n.digest).limit(_PAGE)


def has_numbers(session: Session) -> bool:
    return session.one(_any) is not None


def select_listed(session: Session, digests: Collection[bytes]) -> set[bytes]:
    """Return those of these digests that are in the registry."""
    return {row[0] for row in session.all_in(_listed, "digests", sorted(digests))}


def count_numbers(session: Session) -> int:
    return int(session.all(_count)[0][0])


def count_by_day(session: Session) -> list[tuple[int, int]]:
    """Return the day number and the number of digests of each day, oldest first."""
    return [(row[0], row[1]) for row in session.all(_by_day)]


def delete_digests(session: Session, digests: Collection[bytes]) -> None:
    session.many(_delete, [(digest,) for digest in digests])


def select_pages(session: Session) -> Iterator[list[tuple[bytes, int]]]:
    """Yield all digests with their days in pages, in order."""
    after = b""
    while page := [(row[0], row[1]) for row in session.all(_after, {"after": after})]:
        yield page
        after = page[-1][0]


def insert_rows(session: Session, rows: Sequence[tuple[bytes, int]]) -> None:
    """Add digests with their days; those in the registry keep theirs."""
    session.many(_insert, rows)

"""SQL statements on sessions of lookalikes and their remembered results."""

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert
from firmograph.lookalikes.tables import lookalike_results, lookalike_sessions

_s, _r = lookalike_sessions.c, lookalike_results.c
_FIND = sa.select(_s.entity, _s.used_at, _s.results).where(
    _s.account_id == bindparam("account"), _s.id == bindparam("session")
)
_PARTS = (
    sa.select(_r.numbers)
    .where(_r.account_id == bindparam("account"), _r.session_id == bindparam("session"))
    .order_by(_r.part)
)
_INSERT = insert(lookalike_sessions).values(
    account_id=bindparam("account"),
    id=bindparam("session"),
    entity=bindparam("kind"),
    used_at=bindparam("now"),
    results=bindparam("count"),
)
_UPDATE = (
    sa.update(lookalike_sessions)
    .where(_s.account_id == bindparam("account"), _s.id == bindparam("session"))
    .values(used_at=bindparam("now"), results=bindparam("count"))
)
_part = insert(lookalike_results).values(
    account_id=bindparam("account"),
    session_id=bindparam("session"),
    part=bindparam("at"),
    numbers=bindparam("bytes"),
)
_UPSERT_PART = _part.on_conflict_do_update(
    index_elements=[column.name for column in lookalike_results.primary_key],
    set_={"numbers": _part.excluded.numbers},
)
_UNUSED = BatchDeletion(lookalike_sessions, _s.used_at <= bindparam("before"))


class SessionRow(NamedTuple):
    entity: int
    used_at: float
    results: int
    """Number of remembered results."""


def find_session(session: AccountSession, id: bytes) -> SessionRow | None:
    row = session.one(_FIND, {"session": id})
    return SessionRow(*row) if row else None


def select_results(session: AccountSession, id: bytes) -> bytes:
    """Return the remembered record numbers in their order, 8 bytes each."""
    return b"".join(row[0] for row in session.all(_PARTS, {"session": id}))


def insert_session(session: AccountSession, id: bytes, entity: int, now: float, results: int) -> None:
    session.execute(_INSERT, {"session": id, "kind": entity, "now": now, "count": results})


def update_session(session: AccountSession, id: bytes, now: float, results: int) -> None:
    session.execute(_UPDATE, {"session": id, "now": now, "count": results})


def upsert_results(session: AccountSession, id: bytes, parts: Iterable[tuple[int, bytes]]) -> None:
    """Write parts of the remembered results, in place of those that exist. One statement for each part."""
    for at, numbers in parts:
        session.execute(_UPSERT_PART, {"session": id, "at": at, "bytes": numbers})


def delete_unused(session: Session, before: float, most: int) -> int:
    """Delete up to `most` sessions last used by a time, with their results; return their number. Two statements."""
    return _UNUSED.run(session, most, before=before)

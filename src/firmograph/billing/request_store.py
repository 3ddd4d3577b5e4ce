"""SQL statements on idempotency keys and rate limit counters."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts, idempotency_keys, rate_counters
from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.directory.tables import installation

_keys = idempotency_keys.c
_FIND = sa.select(_keys.body_hash, _keys.kept).where(
    _keys.account_id == bindparam("account"),
    _keys.path == bindparam("path"),
    _keys.key == bindparam("key"),
    _keys.expires_at > bindparam("now"),
)
_HAS_EXPIRED = _keys.expires_at <= bindparam("now")


def find_key(
    session: Session, account_id: int, path: str, key: str, now: float
) -> tuple[bytes, bytes] | None:
    """Return body hash and cached response of a key that has not expired."""
    row = session.one(_FIND, {"account": account_id, "path": path, "key": key, "now": now})
    return row and (row[0], row[1])


def insert_key(
    session: Session,
    account_id: int,
    path: str,
    key: str,
    body_hash: bytes,
    kept: bytes,
    *,
    now: float,
    expires_at: float,
) -> bool:
    """Insert a response under its key, replacing an expired one; return False, unchanged, if the key is in use."""
    cursor = session.execute(
        _INSERT_KEY,
        {
            "account_id": account_id,
            "path": path,
            "key": key,
            "body_hash": body_hash,
            "expires_at": expires_at,
            "kept": kept,
            "now": now,
        },
    )
    return bool(cursor.rowcount == 1)


_key = insert(idempotency_keys).values(
    {name: bindparam(name) for name in ("account_id", "path", "key", "body_hash", "expires_at", "kept")}
)
_INSERT_KEY = _key.on_conflict_do_update(
    index_elements=["account_id", "path", "key"],
    set_={name: _key.excluded[name] for name in ("body_hash", "expires_at", "kept")},
    where=_HAS_EXPIRED,
)


def _select_batch(table: sa.Table, condition: "sa.ColumnElement[bool]") -> "sa.Select[Any]":
    """Select the primary keys of at most `most` rows that meet a condition and are not locked by others."""
    chosen = sa.select(*table.primary_key).where(condition).limit(bindparam("most"))
    return chosen.with_for_update(skip_locked=True)


def _deletion(table: sa.Table) -> sa.Delete:
    return sa.delete(table).where(*(column == bindparam(column.name) for column in table.primary_key))


_EXPIRED_KEYS = _select_batch(idempotency_keys, _HAS_EXPIRED)
_DELETE_KEY = _deletion(idempotency_keys)
_OLD_COUNTERS = _select_batch(rate_counters, rate_counters.c.start < bindparam("before"))
_DELETE_COUNTER = _deletion(rate_counters)


def delete_expired_keys(session: Session, now: float, most: int) -> int:
    """Delete up to `most` expired keys and return their number. Two statements."""
    expired = session.all(_EXPIRED_KEYS, {"now": now, "most": most})
    session.many(_DELETE_KEY, expired)
    return len(expired)


def delete_old_counters(session: Session, before: int, most: int) -> int:
    """Delete up to `most` counters of windows that began before a time and return their number. Two statements."""
    old = session.all(_OLD_COUNTERS, {"before": before, "most": most})
    session.many(_DELETE_COUNTER, old)
    return len(old)


_COUNTERS = sa.select(
    rate_counters.c.account_id, rate_counters.c.window, rate_counters.c.start, rate_counters.c.count
).where(rate_counters.c.start > bindparam("since"))
# counters of accounts missing from a restored backup cannot be written, and must not prevent writing the others
_counter = insert(rate_counters).from_select(
    ["account_id", "window", "start", "count"],
    sa.select(
        accounts.c.id,
        bindparam("window", type_=sa.Text),
        bindparam("start", type_=sa.BigInteger),
        bindparam("count", type_=sa.BigInteger),
    ).where(accounts.c.id == bindparam("account_id")),
)
_stored, _new = rate_counters.c, _counter.excluded
_DAY: sa.ColumnElement[int] = sa.literal_column("86400", sa.BigInteger)
# Several processes write the same row in any order, so a count never decreases and an ended window never returns. Only
# a start further ahead than the longest window comes from a wrong clock and is replaced.
_UPSERT_COUNTER = _counter.on_conflict_do_update(
    index_elements=["account_id", "window"],
    set_={"start": _new.start, "count": _new["count"]},
    where=sa.or_(
        _new.start > _stored.start,
        sa.and_(_new.start == _stored.start, _new["count"] > _stored["count"]),
        _new.start < _stored.start - _DAY,
    ),
)
_ACCOUNT_COUNTERS = _COUNTERS.where(rate_counters.c.account_id == bindparam("account"))

CounterRow = tuple[int, str, int, int]
"""Account, window, start of the window in seconds since the epoch, count."""


def select_counters(session: Session, since: float) -> list[CounterRow]:
    """Return the counters of windows that began after `since`."""
    return [(row[0], row[1], row[2], row[3]) for row in session.all(_COUNTERS, (since,))]


def select_account_counters(session: Session, account_id: int, since: float) -> list[CounterRow]:
    """Return the counters of one account whose windows began after `since`."""
    rows = session.all(_ACCOUNT_COUNTERS, {"account": account_id, "since": since})
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def upsert_counters(session: Session, rows: Sequence[CounterRow]) -> None:
    """Write counters; for each window the later start wins, then the greater count."""
    session.many(_UPSERT_COUNTER, [(window, start, count, account) for account, window, start, count in rows])


_ORIGIN = sa.select(installation.c.value).where(installation.c.name == "origin")


def select_origin(session: Session) -> str:
    """Return the identifier shared by all copies of this installation, including restored ones."""
    row = session.one(_ORIGIN)
    if row is None:
        raise LookupError("the database has no origin; its schema was not prepared")
    return str(row[0])

"""All SQL on what is remembered of requests: idempotency keys and the counters of rate limits."""

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
    """Body hash and kept answer of a key that has not expired."""
    row = session.one(_FIND, {"account": account_id, "path": path, "key": key, "now": now})
    return row and (row[0], row[1])


def keep_key(
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
    """Keep an answer under its key, in place of an expired one; False, with nothing kept, if the key is held."""
    cursor = session.execute(
        _KEEP_KEY,
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
_KEEP_KEY = _key.on_conflict_do_update(
    index_elements=["account_id", "path", "key"],
    set_={name: _key.excluded[name] for name in ("body_hash", "expires_at", "kept")},
    where=_HAS_EXPIRED,
)


def _some(table: sa.Table, condition: "sa.ColumnElement[bool]") -> "sa.Select[Any]":
    """The primary keys of at most `most` rows that fulfil a condition, but for those that others have locked."""
    chosen = sa.select(*table.primary_key).where(condition).limit(bindparam("most"))
    return chosen.with_for_update(skip_locked=True)


def _deletion(table: sa.Table) -> sa.Delete:
    return sa.delete(table).where(*(column == bindparam(column.name) for column in table.primary_key))


_EXPIRED_KEYS = _some(idempotency_keys, _HAS_EXPIRED)
_FORGET_KEY = _deletion(idempotency_keys)
_OLD_COUNTERS = _some(rate_counters, rate_counters.c.start < bindparam("before"))
_FORGET_COUNTER = _deletion(rate_counters)


def forget_keys(session: Session, now: float, most: int) -> int:
    """Delete up to `most` keys that have expired; how many there were. Two statements."""
    expired = session.all(_EXPIRED_KEYS, {"now": now, "most": most})
    session.many(_FORGET_KEY, expired)
    return len(expired)


def forget_counters(session: Session, before: int, most: int) -> int:
    """Delete up to `most` counters of windows that began before a time; how many there were. Two statements."""
    old = session.all(_OLD_COUNTERS, {"before": before, "most": most})
    session.many(_FORGET_COUNTER, old)
    return len(old)


_COUNTERS = sa.select(
    rate_counters.c.account_id, rate_counters.c.window, rate_counters.c.start, rate_counters.c.count
).where(rate_counters.c.start > bindparam("since"))
# of an account that a restored backup does not have nothing can be written, and others must not wait for it
_counter = insert(rate_counters).from_select(
    ["account_id", "window", "start", "count"],
    sa.select(
        accounts.c.id,
        bindparam("window", type_=sa.Text),
        bindparam("start", type_=sa.BigInteger),
        bindparam("count", type_=sa.BigInteger),
    ).where(accounts.c.id == bindparam("account_id")),
)
_held, _given = rate_counters.c, _counter.excluded
_DAY: sa.ColumnElement[int] = sa.literal_column("86400", sa.BigInteger)
# Several processes write the same row, in any order: a count never goes down, nor does a window come back that is over.
# Only a start that lies more than the longest window ahead was written by a clock that was wrong.
_PUT_COUNTER = _counter.on_conflict_do_update(
    index_elements=["account_id", "window"],
    set_={"start": _given.start, "count": _given["count"]},
    where=sa.or_(
        _given.start > _held.start,
        sa.and_(_given.start == _held.start, _given["count"] > _held["count"]),
        _given.start < _held.start - _DAY,
    ),
)
_ACCOUNT_COUNTERS = _COUNTERS.where(rate_counters.c.account_id == bindparam("account"))

CounterRow = tuple[int, str, int, int]
"""Account, window, its start in seconds since the epoch, count."""


def counters(session: Session, since: float) -> list[CounterRow]:
    """The counters of windows that began after `since`."""
    return [(row[0], row[1], row[2], row[3]) for row in session.all(_COUNTERS, (since,))]


def account_counters(session: Session, account_id: int, since: float) -> list[CounterRow]:
    """Those of one account."""
    rows = session.all(_ACCOUNT_COUNTERS, {"account": account_id, "since": since})
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def put_counters(session: Session, rows: Sequence[CounterRow]) -> None:
    """Write counters down: of two rows of a window the later start counts, then the greater count."""
    session.many(_PUT_COUNTER, [(window, start, count, account) for account, window, start, count in rows])


_ORIGIN = sa.select(installation.c.value).where(installation.c.name == "origin")


def origin(session: Session) -> str:
    """What every copy of this installation is called, restored ones too."""
    row = session.one(_ORIGIN)
    if row is None:
        raise LookupError("the database has no origin; it was not prepared")
    return str(row[0])

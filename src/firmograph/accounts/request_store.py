"""All SQL on what is remembered of requests: idempotency keys and the counters of rate limits."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import idempotency_keys, rate_counters
from firmograph.kit.database import Session
from firmograph.kit.upserts import insert

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


def _deletion(table: sa.Table, condition: "sa.ColumnElement[bool]") -> sa.Delete:
    """Deletes at most `most` rows that fulfil a condition, past those that another transaction has locked.

    Gives back a row for each: the driver of SQLite does not count what a statement deletes that begins with WITH.
    """
    key = list(table.primary_key)
    chosen = sa.select(*key).where(condition).limit(bindparam("most")).with_for_update(skip_locked=True)
    deletion = sa.delete(table).where(sa.tuple_(*key).in_(sa.select(chosen.cte("chosen"))))
    return deletion.returning(sa.literal_column("1"))


_FORGET_KEYS = _deletion(idempotency_keys, _HAS_EXPIRED)
_FORGET_COUNTERS = _deletion(rate_counters, rate_counters.c.start < bindparam("before"))


def forget_keys(session: Session, now: float, most: int) -> int:
    """Delete up to `most` keys that have expired; how many there were."""
    return len(session.all(_FORGET_KEYS, {"now": now, "most": most}))


def forget_counters(session: Session, before: int, most: int) -> int:
    """Delete up to `most` counters of windows that began before a time; how many there were."""
    return len(session.all(_FORGET_COUNTERS, {"before": before, "most": most}))


_COUNTERS = sa.select(
    rate_counters.c.account_id, rate_counters.c.window, rate_counters.c.start, rate_counters.c.count
).where(rate_counters.c.start > bindparam("since"))
_counter = insert(rate_counters).values(
    {name: bindparam(name) for name in ("account_id", "window", "start", "count")}
)
_PUT_COUNTER = _counter.on_conflict_do_update(
    index_elements=["account_id", "window"],
    set_={"start": _counter.excluded.start, "count": _counter.excluded.count},
)

CounterRow = tuple[int, str, int, int]
"""Account, window, its start in seconds since the epoch, count."""


def counters(session: Session, since: float) -> list[CounterRow]:
    """The counters of windows that began after `since`."""
    return [(row[0], row[1], row[2], row[3]) for row in session.all(_COUNTERS, (since,))]


def put_counters(session: Session, rows: Sequence[CounterRow]) -> None:
    session.many(_PUT_COUNTER, rows)

"""All SQL on what is remembered of requests: idempotency keys and the counters of rate limits."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.dialects.sqlite import insert

from firmograph.accounts.tables import idempotency_keys, rate_counters
from firmograph.kit.database import Session

_keys = idempotency_keys.c
_FIND = sa.select(_keys.body_hash, _keys.kept).where(
    _keys.account_id == bindparam("account"),
    _keys.path == bindparam("path"),
    _keys.key == bindparam("key"),
    _keys.expires_at > bindparam("now"),
)
_FORGET = sa.delete(idempotency_keys).where(_keys.expires_at <= bindparam("now"))


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
    """Keep an answer under its key and drop expired ones; False, with nothing kept, if the key is held."""
    session.execute(_FORGET, (now,))
    cursor = session.execute(
        _INSERT_KEY,
        {
            "account_id": account_id,
            "path": path,
            "key": key,
            "body_hash": body_hash,
            "expires_at": expires_at,
            "kept": kept,
        },
    )
    return bool(cursor.rowcount == 1)


_INSERT_KEY = (
    insert(idempotency_keys)
    .values(
        {name: bindparam(name) for name in ("account_id", "path", "key", "body_hash", "expires_at", "kept")}
    )
    .on_conflict_do_nothing()
)

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

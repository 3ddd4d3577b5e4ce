"""SQL statements on idempotency keys."""

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.billing.tables import idempotency_keys
from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert

_keys = idempotency_keys.c
_FIND = sa.select(_keys.body_hash, _keys.kept).where(
    _keys.account_id == bindparam("account"),
    _keys.path == bindparam("path"),
    _keys.key == bindparam("key"),
    _keys.expires_at > bindparam("now"),
)
_HAS_EXPIRED = _keys.expires_at <= bindparam("now")


def find_key(session: AccountSession, target: str, key: str, now: float) -> tuple[bytes, bytes] | None:
    """Return content digest and cached response of a key that has not expired."""
    row = session.one(_FIND, {"path": target, "key": key, "now": now})
    return row and (row[0], row[1])


def insert_key(
    session: AccountSession,
    target: str,
    key: str,
    digest: bytes,
    kept: bytes,
    *,
    now: float,
    expires_at: float,
) -> bool:
    """Insert a response under its key, replacing an expired one; return False, unchanged, if the key is in use."""
    cursor = session.execute(
        _INSERT_KEY,
        {
            "path": target,
            "key": key,
            "body_hash": digest,
            "expires_at": expires_at,
            "kept": kept,
            "now": now,
        },
    )
    return bool(cursor.rowcount == 1)


_key = insert(idempotency_keys).values(
    account_id=bindparam("account"),
    **{name: bindparam(name) for name in ("path", "key", "body_hash", "expires_at", "kept")},
)
_INSERT_KEY = _key.on_conflict_do_update(
    index_elements=["account_id", "path", "key"],
    set_={name: _key.excluded[name] for name in ("body_hash", "expires_at", "kept")},
    where=_HAS_EXPIRED,
)

_EXPIRED = BatchDeletion(idempotency_keys, _HAS_EXPIRED)


def delete_expired_keys(session: Session, now: float, most: int) -> int:
    """Delete up to `most` expired keys and return their number. Two statements."""
    return _EXPIRED.run(session, most, now=now)

"""SQL statements on idempotency keys."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.billing.tables import idempotency_keys
from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert

_keys = idempotency_keys.c
_OF_KEY = (
    _keys.account_id == bindparam("account"),
    _keys.path == bindparam("target"),
    _keys.key == bindparam("of_key"),
)
_FIND = sa.select(_keys.body_hash, _keys.kept, _keys.table_write).where(
    *_OF_KEY, _keys.expires_at > bindparam("now")
)
_FIND_TABLE_WRITE = sa.select(_keys.table_write).where(*_OF_KEY)
_KEEP_TABLE_WRITE = (
    sa.update(idempotency_keys)
    .where(*_OF_KEY, _keys.table_write.is_(None))
    .values(table_write=bindparam("table_write"))
)
_UPDATE_KEPT = (
    sa.update(idempotency_keys)
    .where(*_OF_KEY, _keys.body_hash == bindparam("digest"))
    .values(kept=bindparam("new_kept"))
)
_HAS_EXPIRED = _keys.expires_at <= bindparam("now")


class StoredKey(NamedTuple):
    """Key that has not expired."""

    digest: bytes
    """Digest of query and body."""
    kept: bytes
    """Cached response."""
    table_write: bytes | None


def find_key(session: AccountSession, target: str, key: str, now: float) -> StoredKey | None:
    """Return a key that has not expired."""
    row = session.one(_FIND, {"target": target, "of_key": key, "now": now})
    return None if row is None else StoredKey(*row)


def find_table_write(session: AccountSession, target: str, key: str) -> bytes | None:
    """Return what is kept of the write to a table that followed an answer."""
    row = session.one(_FIND_TABLE_WRITE, {"target": target, "of_key": key})
    return None if row is None else row[0]


def keep_table_write(session: AccountSession, target: str, key: str, table_write: bytes) -> None:
    """Keep what the write to a table did, unless something is kept."""
    session.execute(_KEEP_TABLE_WRITE, {"target": target, "of_key": key, "table_write": table_write})


def update_kept(session: AccountSession, target: str, key: str, digest: bytes, kept: bytes) -> None:
    """Store another response under a key."""
    session.execute(_UPDATE_KEPT, {"target": target, "of_key": key, "digest": digest, "new_kept": kept})


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
    set_={
        **{name: _key.excluded[name] for name in ("body_hash", "expires_at", "kept")},
        "table_write": sa.null(),
    },
    where=_HAS_EXPIRED,
)

_EXPIRED = BatchDeletion(idempotency_keys, _HAS_EXPIRED)


def delete_expired_keys(session: Session, now: float, most: int) -> int:
    """Delete up to `most` expired keys and return their number. Two statements."""
    return _EXPIRED.run(session, most, now=now)

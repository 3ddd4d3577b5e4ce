"""SQL statements on operators' keys and their calls."""

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.admin.tables import operator_calls, operator_keys
from firmograph.admin.types import KeptCall, OperatorKey
from firmograph.caller import CallKey
from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.connection import Session
from firmograph.database.key_revocations import KeyRevocations

_ADD_KEY = (
    sa.insert(operator_keys)
    .values({name: bindparam(name) for name in ("digest", "prefix", "name", "created_at")})
    .returning(operator_keys.c.id)
)
_KEYS = sa.select(*(operator_keys.c[name] for name in OperatorKey._fields)).order_by(operator_keys.c.id)
_NAMED = _KEYS.where(
    sa.or_(
        operator_keys.c.prefix == bindparam("key_prefix"), operator_keys.c.digest == bindparam("key_digest")
    )
)
_VALID_KEY = sa.select(operator_keys.c.id, operator_keys.c.prefix).where(
    operator_keys.c.digest == bindparam("digest"), operator_keys.c.revoked_at.is_(None)
)
_REVOKE = (
    sa.update(operator_keys)
    .where(operator_keys.c.id == bindparam("which"))
    .values(revoked_at=bindparam("at"))
)


def insert_key(session: Session, digest: bytes, prefix: str, name: str, at: float) -> int:
    rows = session.all(_ADD_KEY, {"digest": digest, "prefix": prefix, "name": name, "created_at": at})
    return int(rows[0][0])


def select_keys(session: Session) -> list[OperatorKey]:
    """Return all keys, including revoked ones, oldest first."""
    return [OperatorKey(*row) for row in session.all(_KEYS)]


def select_named(session: Session, prefix: str, digest: bytes) -> list[OperatorKey]:
    """Return the keys of a prefix or digest, including revoked ones, oldest first."""
    return [OperatorKey(*row) for row in session.all(_NAMED, {"key_prefix": prefix, "key_digest": digest})]


def select_valid_key(session: Session, digest: bytes) -> tuple[int, str] | None:
    """Return number and prefix of a key that is not revoked."""
    row = session.one(_VALID_KEY, (digest,))
    return None if row is None else (row[0], row[1])


def update_revoked(session: Session, key_id: int, at: float) -> None:
    session.execute(_REVOKE, {"which": key_id, "at": at})


REVOCATIONS = KeyRevocations(operator_keys)


# --- calls with an Idempotency-Key ---

_calls = operator_calls.c
_of_key = sa.and_(_calls.path == bindparam("target"), _calls.key == bindparam("of_key"))
_FIND_CALL = sa.select(_calls.body_hash, _calls.request_id, _calls.subject).where(
    _of_key, _calls.expires_at > bindparam("now")
)
_DELETE_CALL = sa.delete(operator_calls).where(_of_key)
_ADD_CALL = sa.insert(operator_calls).values(
    {column.name: bindparam(column.name) for column in operator_calls.c}
)
_EXPIRED = BatchDeletion(operator_calls, _calls.expires_at <= bindparam("now"))


def select_call(session: Session, key: CallKey, now: float) -> KeptCall | None:
    """Return the call that was answered under a key which has not expired."""
    row = session.one(_FIND_CALL, {"target": key.target, "of_key": key.key, "now": now})
    return None if row is None else KeptCall(*row)


def insert_call(session: Session, key: CallKey, call: KeptCall, expires_at: float) -> None:
    """Keep a call under its key, in place of an expired one. Two statements."""
    session.execute(_DELETE_CALL, {"target": key.target, "of_key": key.key})
    session.execute(
        _ADD_CALL,
        {
            "path": key.target,
            "key": key.key,
            "body_hash": call.digest,
            "expires_at": expires_at,
            "request_id": call.request_id,
            "subject": call.subject,
        },
    )


def delete_expired_calls(session: Session, now: float, most: int) -> int:
    """Delete up to `most` expired calls and return their number. Two statements."""
    return _EXPIRED.run(session, most, now=now)

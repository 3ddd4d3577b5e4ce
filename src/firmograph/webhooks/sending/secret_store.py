"""All SQL on the secrets that deliveries are signed with: one an account, sealed."""

from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.webhooks.tables import webhook_secrets

_c = webhook_secrets.c
_of = sa.select(_c.account_id, _c.sealed).where(_c.account_id.in_(bindparam("accounts", expanding=True)))
_put = insert(webhook_secrets).values(
    account_id=bindparam("account_id"), sealed=bindparam("sealed"), changed_at=bindparam("changed_at")
)
_put = _put.on_conflict_do_update(
    index_elements=[_c.account_id],
    set_={"sealed": _put.excluded.sealed, "changed_at": _put.excluded.changed_at},
)


def of(session: Session, account_ids: Collection[int]) -> dict[int, bytes]:
    """The sealed secrets of those of these accounts that have one."""
    return {row[0]: row[1] for row in session.all_in(_of, "accounts", sorted(account_ids))}


def put(session: Session, account_id: int, sealed: bytes, at: float) -> None:
    """In place of the one before."""
    session.execute(_put, {"account_id": account_id, "sealed": sealed, "changed_at": at})

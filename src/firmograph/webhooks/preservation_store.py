"""SQL on what a restored copy takes over of queues and secrets; every function runs in the caller's transaction."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Row, Session
from firmograph.database.upsert import insert
from firmograph.webhooks.tables import deliveries, subscriptions, webhook_secrets
from firmograph.webhooks.types import State

_d, _s, _w = deliveries.c, subscriptions.c, webhook_secrets.c
_KEPT: Final = ("payload_id", "state", "held", "body", "made_at", "failed_at", "reason")
_FENCES: Final = 1_000_000
"""Far above every number of claims that the replaced database may have come to since the backup."""

_secrets = sa.select(_w.account_id, _w.sealed, _w.changed_at)
_new_secret = insert(webhook_secrets).values(
    account_id=bindparam("account"), sealed=bindparam("sealed"), changed_at=bindparam("changed_at")
)
_put_secret = _new_secret.on_conflict_do_update(
    index_elements=[_w.account_id],
    set_={"sealed": _new_secret.excluded.sealed, "changed_at": _new_secret.excluded.changed_at},
)
_opt_outs = (
    sa.select(_s.token, *(_d[name] for name in _KEPT))
    .join(subscriptions, _s.id == _d.subscription_id)
    .where(_d.signal_id.is_(None))
    .order_by(_d.id)
)
_delete_opt_outs = sa.delete(deliveries).where(_d.signal_id.is_(None))
_subscriptions = sa.select(_s.token, _s.account_id, _s.id).where(_s.entity_id.is_(None))
_queued = (
    sa.select(sa.func.count())
    .select_from(deliveries)
    .where(_d.subscription_id == _s.id, _d.state != int(State.FAILED))
    .scalar_subquery()
)
_void_leases = sa.update(subscriptions).values(lease_until=0, fence=_s.fence + _FENCES, queued=_queued)


class StoredSecret(NamedTuple):
    """Secret of an account."""

    account_id: int
    sealed: bytes
    changed_at: float


def select_secrets(session: Session) -> list[StoredSecret]:
    return [StoredSecret(*row) for row in session.all(_secrets)]


def put_secret(session: Session, secret: StoredSecret) -> None:
    """Insert or replace the secret of an account."""
    session.many(_put_secret, [secret])


def select_opt_outs(session: Session) -> list[Row]:
    """Return the opt-outs of all queues, each with the public id of its subscription first."""
    return session.all(_opt_outs)


def replace_opt_outs(session: Session, opt_outs: Iterable[Row]) -> None:
    """Replace all opt-outs by these, in queues of the same public ids."""
    session.execute(_delete_opt_outs)
    queues = {token: queue for token, *queue in session.all(_subscriptions)}
    rows = [(payload_id, *queues[token], *rest) for token, payload_id, *rest in opt_outs if token in queues]
    session.load(deliveries, rows, ("account_id", "subscription_id", *_KEPT))


def void_leases(session: Session) -> None:
    """Free the subscriptions of all accounts, and count what waits for each."""
    session.execute(_void_leases)

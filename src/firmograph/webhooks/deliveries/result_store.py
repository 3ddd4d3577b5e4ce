"""SQL that reads sent deliveries with their queues, and stores the results."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.billing.paid_units import signal_paid_at
from firmograph.database.connection import Session
from firmograph.signals.tables import signals
from firmograph.webhooks.tables import deliveries, subscriptions
from firmograph.webhooks.types import State


class QueueState(NamedTuple):
    """State of a subscription whose delivery was sent."""

    id: int
    fence: int
    lease_until: float
    attempts: int
    active: int
    entity: int
    url: str


class SentDelivery(NamedTuple):
    """Current state of a delivery that was sent."""

    id: int
    state: int
    held: int | None
    has_body: int
    """0 if the body was erased since, with a person it named."""
    identity: bytes | None
    paid_at: float | None
    detected_at: float
    """Time of detection; time of queueing for opt-outs and scheduled deliveries."""


_s, _d = subscriptions.c, deliveries.c
_zero: sa.ColumnElement[int] = sa.literal_column("0")
_one: sa.ColumnElement[int] = sa.literal_column("1")
_queues: sa.BindParameter[int] = bindparam("subscriptions", expanding=True)
_ids: sa.BindParameter[int] = bindparam("ids", expanding=True)
_paid_at = signal_paid_at(_d.account_id, _d.identity)
# every transaction locks subscriptions in the order of their ids
_lock_queues = (
    sa.select(_s.id, _s.fence, _s.lease_until, _s.attempts, _s.active, _s.entity, _s.url)
    .where(_s.id.in_(_queues))
    .order_by(_s.id)
    .with_for_update()
)
_has_body = sa.case((_d.body.is_(None), _zero), else_=_one)
_read_deliveries = (
    sa.select(
        _d.id,
        _d.state,
        _d.held,
        _has_body,
        _d.identity,
        _paid_at,
        sa.case(
            (signals.c.ahead == _one, _d.made_at), else_=sa.func.coalesce(signals.c.detected_at, _d.made_at)
        ),
    )
    .select_from(deliveries.outerjoin(signals, signals.c.id == _d.signal_id))
    .where(_d.id.in_(_ids))
)
_released = {"attempts": 0, "needs": 0, "lease_until": 0.0}
_release = sa.update(subscriptions).where(_s.id.in_(_queues)).values(due_at=bindparam("due"), **_released)
_advance = (
    sa.update(subscriptions)
    .where(_s.id.in_(_queues))
    .values(queued=_s.queued - 1, due_at=bindparam("due"), **_released)
)
_retry = (
    sa.update(subscriptions)
    .where(_s.id == bindparam("subscription"))
    .values(attempts=bindparam("failed"), due_at=bindparam("due"), lease_until=_zero)
)
_fail = sa.update(subscriptions).where(_s.id.in_(_queues)).values(queued=_s.queued - 1, **_released)
_block = (
    sa.update(subscriptions)
    .where(_s.id.in_(_queues), _s.active == _one)
    .values(active=0, block_reason=bindparam("why"), blocked_at=bindparam("at"), updated_at=bindparam("at"))
)
_mark_failed = (
    sa.update(deliveries)
    .where(_d.id.in_(_ids))
    .values(state=int(State.FAILED), held=None, failed_at=bindparam("at"))
)
_delete = sa.delete(deliveries).where(_d.id.in_(_ids))


def lock_queues(session: Session, subscription_ids: Collection[int]) -> dict[int, QueueState]:
    """Lock subscriptions until the transaction ends; return them by id."""
    return {
        row[0]: QueueState(*row)
        for row in session.all_in(_lock_queues, "subscriptions", sorted(subscription_ids))
    }


def read_deliveries(session: Session, ids: Collection[int]) -> dict[int, SentDelivery]:
    return {row[0]: SentDelivery(*row) for row in session.all_in(_read_deliveries, "ids", sorted(ids))}


def record_arrivals(
    session: Session, subscription_ids: Collection[int], ids: Collection[int], at: float
) -> None:
    """Delete deliveries that arrived, and make the next one of their subscriptions due."""
    session.run_in(_advance, "subscriptions", sorted(subscription_ids), due=at)
    session.run_in(_delete, "ids", sorted(ids))


def release(session: Session, subscription_ids: Collection[int], at: float) -> None:
    """Make the next delivery of these subscriptions due; the one sent was deleted or will be."""
    session.run_in(_release, "subscriptions", sorted(subscription_ids), due=at)


def schedule_retries(session: Session, retried: Iterable[tuple[int, float, int]]) -> None:
    """Schedule retries, as (failed attempts so far, due time, subscription)."""
    session.many(_retry, retried)


def record_failures(
    session: Session, subscription_ids: Collection[int], ids: Collection[int], reason: str, at: float
) -> None:
    """Turn deliveries into dead letters and disable their subscriptions.

    Subscriptions that their owner disabled keep that state.
    """
    session.run_in(_fail, "subscriptions", sorted(subscription_ids))
    session.run_in(_block, "subscriptions", sorted(subscription_ids), why=reason, at=at)
    session.run_in(_mark_failed, "ids", sorted(ids), at=at)

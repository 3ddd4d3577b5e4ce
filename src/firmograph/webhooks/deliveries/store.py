"""SQL on deliveries shared by several modules: selection, deletion, queue counters, backlog."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts
from firmograph.database.connection import AccountSession, Session
from firmograph.signals import store as signal_store
from firmograph.webhooks.deliveries import fan_out_store, scheduled_store
from firmograph.webhooks.tables import deliveries, subscriptions
from firmograph.webhooks.types import State


class Backlog(NamedTuple):
    """Backlog figures for monitoring.

    They tell a stalled worker from an idle one.
    """

    deliveries: int
    """Deliveries that may be sent now, or are blocked only by earlier ones of their subscription."""
    signals: int
    """Signals the fan-out has not passed: the difference of two ids, so gaps count."""


class Delivery(NamedTuple):
    """Stored delivery with the fields of its subscription that its cancellation needs."""

    id: int
    payload_id: str
    state: int
    """`State`."""
    held: int | None
    """Credits."""
    reason: str | None
    subscription_id: int
    subscription: str
    """Public id."""
    url: str
    entity: int


_d, _s = deliveries.c, subscriptions.c
_deliveries = (
    sa.select(
        _d.id, _d.payload_id, _d.state, _d.held, _d.reason, _d.subscription_id, _s.token, _s.url, _s.entity
    )
    .select_from(deliveries.join(subscriptions, _s.id == _d.subscription_id))
    .where(_d.account_id == bindparam("account"))
    .order_by(_d.id)
)
_of_ids = _deliveries.where(_d.id.in_(bindparam("ids", expanding=True)))
_of_subscription = _deliveries.where(_d.subscription_id == bindparam("subscription"))
_with_hold = _deliveries.where(_d.held > 0)
_delete = sa.delete(deliveries).where(
    _d.account_id == bindparam("account"), _d.id.in_(bindparam("ids", expanding=True))
)
_existing = sa.select(_d.payload_id).where(_d.payload_id.in_(bindparam("payload_ids", expanding=True)))
_queue = (
    sa.update(subscriptions)
    .where(_s.id == bindparam("subscription"))
    .values(queued=_s.queued + bindparam("count"))
)
# a cancelled delivery counts until it is finished; a failed one does not
_dequeue = (
    sa.update(subscriptions)
    .where(_s.id == bindparam("subscription"))
    # attempts and needs may belong to a deleted delivery; if not, the head starts its retries again
    .values(queued=_s.queued - bindparam("count"), attempts=0, needs=0)
)
_zero: sa.ColumnElement[int] = sa.literal_column("0")
_one: sa.ColumnElement[int] = sa.literal_column("1")
# the literals match the condition of a partial index
_backlog = (
    sa.select(sa.cast(sa.func.coalesce(sa.func.sum(_s.queued), _zero), sa.BigInteger))
    .select_from(subscriptions.join(accounts, accounts.c.id == _s.account_id))
    .where(
        _s.queued > _zero,
        _s.active == _one,
        _s.due_at <= bindparam("now", type_=sa.Double),
        _s.needs == _zero,
        accounts.c.active == _one,
    )
)
_undelivered = sa.select(sa.func.count()).where(_d.account_id == bindparam("account"))
_undelivered_of = (
    sa.select(sa.func.count())
    .select_from(deliveries.join(subscriptions, _s.id == _d.subscription_id))
    .where(_s.account_id == bindparam("account"), _s.token == bindparam("subscription"))
)


def find(session: AccountSession, ids: Collection[int]) -> list[Delivery]:
    """Return the account's deliveries that still exist, in the order of detection."""
    rows = session.all_in(_of_ids, "ids", sorted(ids))
    return [Delivery(*row) for row in rows]


def find_of_subscription(session: AccountSession, subscription_id: int) -> list[Delivery]:
    rows = session.all(_of_subscription, {"subscription": subscription_id})
    return [Delivery(*row) for row in rows]


def find_with_hold(session: AccountSession) -> list[Delivery]:
    """Return the account's deliveries for which credits are held."""
    return [Delivery(*row) for row in session.all(_with_hold)]


def count_undelivered(session: AccountSession, subscription: str | None) -> int:
    """Count the undelivered deliveries of an account, or of one of its subscriptions by public id."""
    row = (
        session.one(_undelivered)
        if subscription is None
        else session.one(_undelivered_of, {"subscription": subscription})
    )
    return (row[0] if row else 0) + scheduled_store.count(session, subscription)


def existing(session: Session, payload_ids: Sequence[str]) -> set[str]:
    """Return those of the payload ids that have a delivery."""
    return {row[0] for row in session.all_in(_existing, "payload_ids", payload_ids)}


def add_queued(session: Session, counts: Mapping[int, int]) -> None:
    """Add to the queue counters of subscriptions. One statement."""
    session.many(_queue, [(count, subscription) for subscription, count in sorted(counts.items())])


def delete(session: AccountSession, ids: Iterable[int]) -> None:
    session.run_in(_delete, "ids", sorted(ids))


def remove_queued(session: Session, counts: Sequence[tuple[int, int]]) -> None:
    """Subtract (subscription, count) pairs from the queue counters."""
    for subscription, count in sorted(counts):
        session.execute(_dequeue, {"subscription": subscription, "count": count})


def is_queued(delivery: Delivery) -> bool:
    """Return whether the queue counter of its subscription includes the delivery."""
    return delivery.state != State.FAILED


def backlog(session: Session, now: float) -> Backlog:
    """Return the backlog of the whole database.

    Three statements, the first of which reads the subscriptions with queued deliveries.
    """
    due = session.one(_backlog, {"now": now})
    passed = fan_out_store.read_position(session) or 0
    # the last signal passed may have been deleted since
    return Backlog(due[0] if due else 0, max(0, signal_store.last_signal_id(session) - passed))

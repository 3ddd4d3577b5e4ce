"""SQL on deliveries that several parts of this room need: what is held of some of them, and their end."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.webhooks.deliveries import scheduled_store
from firmograph.webhooks.tables import deliveries, subscriptions
from firmograph.webhooks.types import State


class Delivery(NamedTuple):
    """A delivery that is held, with what its end has to say of its subscription."""

    id: int
    payload_id: str
    state: int
    """`State`."""
    held: int | None
    """Credits."""
    reason: str | None
    subscription_id: int
    subscription: str
    """Its public id."""
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
_delete = sa.delete(deliveries).where(
    _d.account_id == bindparam("account"), _d.id.in_(bindparam("ids", expanding=True))
)
_held = sa.select(_d.payload_id).where(_d.payload_id.in_(bindparam("payload_ids", expanding=True)))
_queue = (
    sa.update(subscriptions)
    .where(_s.id == bindparam("subscription"))
    .values(queued=_s.queued + bindparam("count"))
)
# a cancelled one waits no more, but is counted until it is ended; a failed one is not counted
_dequeue = (
    sa.update(subscriptions)
    .where(_s.id == bindparam("subscription"))
    # attempts and needs may be those of one that ended; if they are not, it is given its retries again
    .values(queued=_s.queued - bindparam("count"), attempts=0, needs=0)
)
_undelivered = sa.select(sa.func.count()).where(_d.account_id == bindparam("account"))
_undelivered_of = (
    sa.select(sa.func.count())
    .select_from(deliveries.join(subscriptions, _s.id == _d.subscription_id))
    .where(_s.account_id == bindparam("account"), _s.token == bindparam("subscription"))
)


def of_ids(session: Session, account_id: int, ids: Collection[int]) -> list[Delivery]:
    """Those of an account's deliveries that are held, in the order of detection."""
    rows = session.all_in(_of_ids, "ids", sorted(ids), account=account_id)
    return [Delivery(*row) for row in rows]


def of_subscription(session: Session, account_id: int, subscription_id: int) -> list[Delivery]:
    rows = session.all(_of_subscription, {"account": account_id, "subscription": subscription_id})
    return [Delivery(*row) for row in rows]


def undelivered(session: Session, account_id: int, subscription: str | None) -> int:
    """How many an account, or one subscription of it by its public id, still has: all that have not arrived."""
    of_one = {"account": account_id, "subscription": subscription}
    row = (
        session.one(_undelivered, {"account": account_id})
        if subscription is None
        else session.one(_undelivered_of, of_one)
    )
    return (row[0] if row else 0) + scheduled_store.count(session, account_id, subscription)


def held(session: Session, payload_ids: Sequence[str]) -> set[str]:
    """Those under which a delivery is held."""
    return {row[0] for row in session.all_in(_held, "payload_ids", payload_ids)}


def queue(session: Session, counts: Mapping[int, int]) -> None:
    """So many deliveries more wait for each subscription. One statement."""
    session.many(_queue, [(count, subscription) for subscription, count in sorted(counts.items())])


def delete(session: Session, account_id: int, ids: Iterable[int]) -> None:
    session.run_in(_delete, "ids", sorted(ids), account=account_id)


def dequeue(session: Session, counts: Sequence[tuple[int, int]]) -> None:
    """So many deliveries fewer wait for each subscription, as (subscription, count)."""
    for subscription, count in sorted(counts):
        session.execute(_dequeue, {"subscription": subscription, "count": count})


def counted(delivery: Delivery) -> bool:
    """Whether `subscriptions.queued` counts it."""
    return delivery.state != State.FAILED

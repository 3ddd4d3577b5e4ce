"""All SQL on what was sent: the lane and the delivery as they are by now, and what becomes of them."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.signals.tables import paid_signals, signals
from firmograph.webhooks.tables import deliveries, subscriptions
from firmograph.webhooks.types import State


class Lane(NamedTuple):
    """A subscription whose delivery was sent."""

    id: int
    fence: int
    lease_until: float
    attempts: int
    active: int
    entity: int
    url: str


class OnItsWay(NamedTuple):
    """A delivery that was sent, as it is held by now."""

    id: int
    state: int
    held: int | None
    has_body: int
    """0 where it was erased meanwhile, with a person whom it named."""
    identity: bytes | None
    paid_at: float | None
    detected_at: float
    """Or queued, for opt-outs and for signals of a day that was still to come."""


_s, _d, _p = subscriptions.c, deliveries.c, paid_signals.c
_zero: sa.ColumnElement[int] = sa.literal_column("0")
_one: sa.ColumnElement[int] = sa.literal_column("1")
_lanes: sa.BindParameter[int] = bindparam("lanes", expanding=True)
_ids: sa.BindParameter[int] = bindparam("ids", expanding=True)
_paid = sa.and_(_p.account_id == _d.account_id, _p.identity == _d.identity)
# in the order of their ids, as everyone locks them
_sent_lanes = (
    sa.select(_s.id, _s.fence, _s.lease_until, _s.attempts, _s.active, _s.entity, _s.url)
    .where(_s.id.in_(_lanes))
    .order_by(_s.id)
    .with_for_update()
)
_has_body = sa.case((_d.body.is_(None), _zero), else_=_one)
_sent_deliveries = (
    sa.select(
        _d.id,
        _d.state,
        _d.held,
        _has_body,
        _d.identity,
        _p.paid_at,
        sa.case(
            (signals.c.ahead == _one, _d.made_at), else_=sa.func.coalesce(signals.c.detected_at, _d.made_at)
        ),
    )
    .select_from(deliveries.outerjoin(paid_signals, _paid).outerjoin(signals, signals.c.id == _d.signal_id))
    .where(_d.id.in_(_ids))
)
_free = {"attempts": 0, "needs": 0, "lease_until": 0.0}
_pass = sa.update(subscriptions).where(_s.id.in_(_lanes)).values(due_at=bindparam("due"), **_free)
_arrive = (
    sa.update(subscriptions)
    .where(_s.id.in_(_lanes))
    .values(queued=_s.queued - 1, due_at=bindparam("due"), **_free)
)
_retry = (
    sa.update(subscriptions)
    .where(_s.id == bindparam("lane"))
    .values(attempts=bindparam("failed"), due_at=bindparam("due"), lease_until=_zero)
)
_fail = sa.update(subscriptions).where(_s.id.in_(_lanes)).values(queued=_s.queued - 1, **_free)
_block = (
    sa.update(subscriptions)
    .where(_s.id.in_(_lanes), _s.active == _one)
    .values(active=0, block_reason=bindparam("why"), blocked_at=bindparam("at"), updated_at=bindparam("at"))
)
_bury = (
    sa.update(deliveries)
    .where(_d.id.in_(_ids))
    .values(state=int(State.FAILED), held=None, failed_at=bindparam("at"))
)
_delete = sa.delete(deliveries).where(_d.id.in_(_ids))


def sent_lanes(session: Session, lanes: Collection[int]) -> dict[int, Lane]:
    """Locked, until the transaction ends, by id."""
    return {row[0]: Lane(*row) for row in session.all_in(_sent_lanes, "lanes", sorted(lanes))}


def sent_deliveries(session: Session, ids: Collection[int]) -> dict[int, OnItsWay]:
    return {row[0]: OnItsWay(*row) for row in session.all_in(_sent_deliveries, "ids", sorted(ids))}


def arrive(session: Session, lanes: Collection[int], ids: Collection[int], at: float) -> None:
    """The first delivery of each of these lanes arrived: the next one is due."""
    session.run_in(_arrive, "lanes", sorted(lanes), due=at)
    session.run_in(_delete, "ids", sorted(ids))


def pass_on(session: Session, lanes: Collection[int], at: float) -> None:
    """What these lanes had on its way has gone, or will: the next one is due."""
    session.run_in(_pass, "lanes", sorted(lanes), due=at)


def retry(session: Session, retried: Iterable[tuple[int, float, int]]) -> None:
    """As (attempts that failed so far, when the next is due, lane)."""
    session.many(_retry, retried)


def give_up(session: Session, lanes: Collection[int], ids: Collection[int], reason: str, at: float) -> None:
    """Make dead letters of the first deliveries, and disable the lanes; one that its owner disabled stays so."""
    session.run_in(_fail, "lanes", sorted(lanes))
    session.run_in(_block, "lanes", sorted(lanes), why=reason, at=at)
    session.run_in(_bury, "ids", sorted(ids), at=at)

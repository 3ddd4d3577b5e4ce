"""All SQL on subscriptions as lanes, and on their first deliveries: what may go, what is claimed, how it ended.

Partial indices serve the conditions that stand here as literals.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts, balances
from firmograph.kit.database import Session
from firmograph.kit.leases import Claim, Leases
from firmograph.signals.tables import paid_signals, signals
from firmograph.webhooks.tables import deliveries, subscriptions
from firmograph.webhooks.types import State

leases: Leases[int] = Leases(subscriptions)

MOST_OF_ORIGIN: Final = 20
"""In flight to one origin on behalf of one account, from all workers together (decisions G, Bounds)."""

MOST_OF_ACCOUNT: Final = 200
"""In flight on behalf of one account, from all workers together: half of what one worker may have."""

FEW_OF_ACCOUNT: Final = 20
KEPT_FREE: Final = 100
"""Of what a worker may have in flight, so much is kept for accounts that have few on their way: those whose receivers
are silent would soon have all of it, and everybody else would wait until they are given up."""

_LOOK_AGAIN_SECONDS: Final = 3_600.0
"""After which it is asked anew what a delivery costs that credits were missing for: its plan may have become cheaper,
or a call may have paid for its signal."""


class Head(NamedTuple):
    """A claimed lane with the first of its deliveries that wait."""

    lane: int
    account_id: int
    token: str
    url: str
    entity: int
    named: str
    attempts: int
    needs: int
    active: int
    """Of the subscription and of its account."""
    plan: str
    delivery_id: int
    payload_id: str
    signal_id: int | None
    """None for opt-outs."""
    held: int | None
    body: bytes | None
    withheld_at: float | None
    paid_at: float | None
    """When the account last paid for the signal."""


class Lane(NamedTuple):
    """A subscription whose delivery was sent."""

    id: int
    fence: int
    lease_until: float
    attempts: int
    active: int
    entity: int


class OnItsWay(NamedTuple):
    """A delivery that was sent, as it is held by now."""

    id: int
    state: int
    held: int | None
    identity: bytes | None
    paid_at: float | None
    detected_at: float
    """Or made, for opt-outs."""


class Candidate(NamedTuple):
    """A lane whose first delivery may go."""

    lane: int
    account_id: int


_s, _d, _p = subscriptions.c, deliveries.c, paid_signals.c
_now = bindparam("now", type_=sa.Double)
_zero: sa.ColumnElement[int] = sa.literal_column("0")
_one: sa.ColumnElement[int] = sa.literal_column("1")
_lanes: sa.BindParameter[int] = bindparam("lanes", expanding=True)
_ids: sa.BindParameter[int] = bindparam("ids", expanding=True)

# --- what may go ---

_busy = (
    sa.select(_s.account_id, _s.origin, sa.func.count().label("busy"))
    .where(_s.lease_until > _zero, _s.lease_until > _now)
    .group_by(_s.account_id, _s.origin)
)
_busy_origins = _busy.cte("busy_origins")
_busy_accounts = (
    sa.select(_busy_origins.c.account_id, sa.func.sum(_busy_origins.c.busy).label("busy"))
    .group_by(_busy_origins.c.account_id)
    .cte("busy_accounts")
)
_other = subscriptions.alias("other")
_retried_first = (
    sa.select(_one)
    .select_from(_other)
    .where(
        _other.c.account_id == _s.account_id,
        _other.c.url == _s.url,
        _other.c.attempts > _zero,
        _other.c.active == _one,
        _other.c.queued > _zero,
        _other.c.id != _s.id,
        sa.or_(_s.attempts == _zero, _other.c.id < _s.id),
    )
    .correlate(subscriptions)
    .exists()
)


def _place(within: Sequence[Any], due_at: sa.ColumnElement[float], id: sa.ColumnElement[int]) -> Any:
    return sa.func.row_number().over(partition_by=within, order_by=(due_at, id))


def _of(busy: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    # PostgreSQL's sums are of a type that would not compare
    return sa.cast(sa.func.coalesce(busy, _zero), sa.BigInteger)


_due = (
    sa.select(
        _s.id,
        _s.account_id,
        _s.due_at,
        (_of(_busy_origins.c.busy) + _place((_s.account_id, _s.origin), _s.due_at, _s.id)).label("place"),
    )
    .select_from(
        subscriptions.join(accounts, accounts.c.id == _s.account_id)
        .join(balances, balances.c.account_id == _s.account_id)
        .outerjoin(
            _busy_origins,
            sa.and_(_busy_origins.c.account_id == _s.account_id, _busy_origins.c.origin == _s.origin),
        )
    )
    .where(
        _s.queued > _zero,
        _s.active == _one,
        _s.due_at <= _now,
        _s.lease_until <= _now,
        accounts.c.active == _one,
        sa.or_(
            _s.needs == _zero,
            _s.needs <= balances.c.granted - balances.c.used - balances.c.held,
            _s.due_at <= _now - _LOOK_AGAIN_SECONDS,
        ),
        ~_retried_first,
    )
    .cte("due")
)
_fair = (
    sa.select(
        _due.c.id,
        _due.c.account_id,
        _due.c.due_at,
        (_of(_busy_accounts.c.busy) + _place((_due.c.account_id,), _due.c.due_at, _due.c.id)).label("place"),
    )
    .select_from(_due.outerjoin(_busy_accounts, _busy_accounts.c.account_id == _due.c.account_id))
    .where(_due.c.place <= MOST_OF_ORIGIN)
    .cte("fair")
)
_candidates = (
    sa.select(_fair.c.id, _fair.c.account_id, _fair.c.place)
    .where(_fair.c.place <= MOST_OF_ACCOUNT)
    # the account with the fewest on their way first, each one more in turn
    .order_by(_fair.c.place, _fair.c.due_at, _fair.c.id)
    .limit(bindparam("most", type_=sa.Integer))
)


def candidates(session: Session, most: int, now: float) -> list[Candidate]:
    """Lanes that are due, free and affordable, within the bounds and fair to all accounts (decisions G, Bounds).

    `most` is what the worker may still send.

    While a lane of an account is retrying, others of that account to the same URL are not among them; of several that
    are retrying the first is.
    """
    rows = session.all(_candidates, {"most": most, "now": now})
    return [
        Candidate(lane, account)
        for taken, (lane, account, place) in enumerate(rows)
        if place <= FEW_OF_ACCOUNT or taken < most - KEPT_FREE
    ]


# --- what is claimed ---

_busy_of = (
    sa.select(_s.id, _s.account_id, _s.origin)
    .where(
        _s.account_id.in_(bindparam("accounts", expanding=True)),
        _s.lease_until > _zero,
        _s.lease_until > _now,
    )
    .order_by(_s.id)
)
_first = (
    sa.select(sa.func.min(_d.id))
    .where(_d.subscription_id == _s.id, _d.state == int(State.WAITING))
    .correlate(subscriptions)
    .scalar_subquery()
)
_paid = sa.and_(_p.account_id == _d.account_id, _p.identity == _d.identity)
_heads = (
    sa.select(
        _s.id,
        _s.account_id,
        _s.token,
        _s.url,
        _s.entity,
        _s.named,
        _s.attempts,
        _s.needs,
        _s.active * accounts.c.active,
        accounts.c.plan,
        _d.id,
        _d.payload_id,
        _d.signal_id,
        _d.held,
        _d.body,
        _d.withheld_at,
        _p.paid_at,
    )
    .select_from(
        subscriptions.join(accounts, accounts.c.id == _s.account_id)
        .join(deliveries, _d.id == _first)
        .outerjoin(paid_signals, _paid)
    )
    .where(_s.id.in_(_lanes))
    .order_by(_s.id)
)
_still_held = sa.select(_s.id, _s.fence).where(_s.id.in_(_lanes), _s.lease_until > _now)


def busy(session: Session, account_ids: Collection[int], now: float) -> list[tuple[int, int, str]]:
    """The leased lanes of accounts, as (lane, account, origin)."""
    rows = session.all_in(_busy_of, "accounts", sorted(account_ids), now=now)
    return [(row[0], row[1], row[2]) for row in rows]


def heads(session: Session, lanes: Collection[int]) -> list[Head]:
    """Of each of these lanes the first delivery; none where none waits."""
    return [Head(*row) for row in session.all_in(_heads, "lanes", sorted(lanes))]


def still_held(session: Session, lanes: Collection[int], now: float) -> set[tuple[int, int]]:
    """Those that are leased, with their fencing numbers."""
    return {(row[0], row[1]) for row in session.all_in(_still_held, "lanes", sorted(lanes), now=now)}


_prepare = (
    sa.update(deliveries)
    .where(_d.id == bindparam("which"))
    .values(held=bindparam("credits"), body=bindparam("bytes"))
)
_withhold = (
    sa.update(deliveries).where(_d.id.in_(_ids), _d.withheld_at.is_(None)).values(withheld_at=bindparam("at"))
)
_cancel = (
    sa.update(deliveries)
    .where(_d.id.in_(_ids))
    .values(state=int(State.CANCELLED), reason=bindparam("why", type_=sa.Text))
)
_need = (
    sa.update(subscriptions)
    .where(_s.id == bindparam("lane"))
    .values(needs=bindparam("credits"), attempts=_zero, due_at=bindparam("at"), lease_until=_zero)
)
_renew = sa.update(subscriptions).where(_s.id.in_(_lanes)).values(needs=0, attempts=0)
_release = sa.update(subscriptions).where(_s.id.in_(_lanes)).values(lease_until=0.0)
_postpone = sa.update(subscriptions).where(_s.id.in_(_lanes)).values(lease_until=0.0, due_at=bindparam("due"))


def prepare(session: Session, prepared: Iterable[tuple[int, bytes, int]]) -> None:
    """Note what is held for deliveries and what is sent, as (credits, body, delivery)."""
    session.many(_prepare, prepared)


def withhold(session: Session, needing: Sequence[tuple[int, int, int]], at: float) -> None:
    """Let lanes go until an account has the credits, as (credits, lane, delivery); or for an hour, as these may not be
    needed by then."""
    session.many(_need, [(credits, at, lane) for credits, lane, _ in needing])
    session.run_in(_withhold, "ids", [id for *_, id in needing], at=at)


def cancel(session: Session, ids: Collection[int], reason: str) -> None:
    session.run_in(_cancel, "ids", sorted(ids), why=reason)


def renew(session: Session, lanes: Collection[int]) -> None:
    """The first delivery of these was never tried, and has what it needs."""
    session.run_in(_renew, "lanes", sorted(lanes))


def release(session: Session, lanes: Collection[int]) -> None:
    session.run_in(_release, "lanes", sorted(lanes))


def postpone(session: Session, lanes: Collection[int], due_at: float) -> None:
    session.run_in(_postpone, "lanes", sorted(lanes), due=due_at)


_give_back = (
    sa.update(subscriptions)
    .where(_s.id == bindparam("lane"), _s.fence == bindparam("mine"), _s.lease_until > _zero)
    .values(due_at=bindparam("due"), lease_until=_zero)
)


def give_back(session: Session, claims: Iterable[Claim[int]], due_at: float) -> None:
    """Let lanes go of which nothing was sent; not those that are another's by now."""
    session.many(_give_back, [(due_at, claim.key, claim.fence) for claim in sorted(claims)])


# --- how it ended ---

# in the order of their ids, as everyone locks them
_sent_lanes = (
    sa.select(_s.id, _s.fence, _s.lease_until, _s.attempts, _s.active, _s.entity)
    .where(_s.id.in_(_lanes))
    .order_by(_s.id)
    .with_for_update()
)
_sent_deliveries = (
    sa.select(
        _d.id, _d.state, _d.held, _d.identity, _p.paid_at, sa.func.coalesce(signals.c.detected_at, _d.made_at)
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


# --- what is to be ended ---

_cancelled = _d.state == sa.literal_column(str(int(State.CANCELLED)))
_cancelled_accounts = sa.select(_d.account_id).where(_cancelled).distinct()
_cancelled_of = (
    sa.select(_d.id)
    .where(_d.account_id == bindparam("account"), _cancelled)
    .limit(bindparam("most", type_=sa.Integer))
)


def accounts_with_cancelled(session: Session) -> list[int]:
    return [row[0] for row in session.all(_cancelled_accounts)]


def cancelled(session: Session, account_id: int, most: int) -> list[int]:
    """Deliveries of an account that are never to be sent."""
    return [row[0] for row in session.all(_cancelled_of, {"account": account_id, "most": most})]

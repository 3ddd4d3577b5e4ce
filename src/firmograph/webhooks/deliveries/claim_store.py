"""All SQL on lanes that are claimed and their first deliveries, and on deliveries that are to be ended."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts
from firmograph.database.connection import Session
from firmograph.database.leases import Claim, Leases
from firmograph.signals.tables import paid_signals
from firmograph.webhooks.tables import deliveries, subscriptions
from firmograph.webhooks.types import State

leases: Leases[int] = Leases(subscriptions)


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


_s, _d, _p = subscriptions.c, deliveries.c, paid_signals.c
_now = bindparam("now", type_=sa.Double)
# partial indices serve the conditions with literals
_zero: sa.ColumnElement[int] = sa.literal_column("0")
_lanes: sa.BindParameter[int] = bindparam("lanes", expanding=True)
_ids: sa.BindParameter[int] = bindparam("ids", expanding=True)

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
_firsts = sa.select(_first).where(_s.id.in_(_lanes))
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
        deliveries.join(subscriptions, _s.id == _d.subscription_id)
        .join(accounts, accounts.c.id == _s.account_id)
        .outerjoin(paid_signals, _paid)
    )
    .where(_d.id.in_(_ids))
    .order_by(_s.id)
)
_still_held = sa.select(_s.id, _s.fence).where(_s.id.in_(_lanes), _s.lease_until > _now)


def busy(session: Session, account_ids: Collection[int], now: float) -> list[tuple[int, int, str]]:
    """The leased lanes of accounts, as (lane, account, origin)."""
    rows = session.all_in(_busy_of, "accounts", sorted(account_ids), now=now)
    return [(row[0], row[1], row[2]) for row in rows]


def heads(session: Session, lanes: Collection[int]) -> list[Head]:
    """Of each of these lanes the first delivery; none where none waits.

    Two statements: as one, PostgreSQL would read all that waits of everybody, whenever it has last looked at a queue
    that was short.
    """
    first = [row[0] for row in session.all_in(_firsts, "lanes", sorted(lanes)) if row[0] is not None]
    return [Head(*row) for row in session.all_in(_heads, "ids", first)]


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
# not retrying meanwhile: others to its URL would wait for it
_postpone = (
    sa.update(subscriptions)
    .where(_s.id.in_(_lanes))
    .values(attempts=0, lease_until=0.0, due_at=bindparam("due"))
)


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

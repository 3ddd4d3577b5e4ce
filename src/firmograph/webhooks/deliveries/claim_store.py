"""SQL on claimed subscriptions, the heads of their queues, and cancelled deliveries."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts
from firmograph.billing.paid_units import signal_paid_at
from firmograph.database.connection import AccountSession, Session
from firmograph.database.leases import Leases
from firmograph.webhooks.tables import deliveries, subscriptions
from firmograph.webhooks.types import State

leases: Leases[int] = Leases(subscriptions)


class QueueHead(NamedTuple):
    """Claimed subscription with the first of its queued deliveries."""

    subscription_id: int
    account_id: int
    token: str
    url: str
    entity: int
    named: str
    attempts: int
    needs: int
    active: int
    """1 if both the subscription and its account are active."""
    plan: str
    delivery_id: int
    payload_id: str
    signal_id: int | None
    """None for opt-outs."""
    held: int | None
    body: bytes | None
    withheld_at: float | None
    paid_at: float | None
    """Last time the account paid for the signal."""


_s, _d = subscriptions.c, deliveries.c
_now = bindparam("now", type_=sa.Double)
# literals match the conditions of partial indexes
_zero: sa.ColumnElement[int] = sa.literal_column("0")
_queues: sa.BindParameter[int] = bindparam("subscriptions", expanding=True)
_ids: sa.BindParameter[int] = bindparam("ids", expanding=True)

# --- claimed subscriptions ---

_claimed_of = (
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
_firsts = sa.select(_first).where(_s.id.in_(_queues))
_paid_at = signal_paid_at(_d.account_id, _d.identity)
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
        _paid_at,
    )
    .select_from(
        deliveries.join(subscriptions, _s.id == _d.subscription_id).join(
            accounts, accounts.c.id == _s.account_id
        )
    )
    .where(_d.id.in_(_ids))
    .order_by(_s.id)
)


def find_claimed(session: Session, account_ids: Collection[int], now: float) -> list[tuple[int, int, str]]:
    """Return the leased subscriptions of accounts, as (subscription, account, origin)."""
    rows = session.all_in(_claimed_of, "accounts", sorted(account_ids), now=now)
    return [(row[0], row[1], row[2]) for row in rows]


def read_heads(session: Session, subscription_ids: Collection[int]) -> list[QueueHead]:
    """Return the first delivery of each of these subscriptions that has one queued.

    Two statements: as a single one, PostgreSQL reads the whole queue when its statistics date from a short one.
    """
    first = [
        row[0]
        for row in session.all_in(_firsts, "subscriptions", sorted(subscription_ids))
        if row[0] is not None
    ]
    return [QueueHead(*row) for row in session.all_in(_heads, "ids", first)]


_save_prepared = (
    sa.update(deliveries)
    .where(_d.id == bindparam("which"))
    .values(held=bindparam("credits"), body=bindparam("bytes"))
)
_withhold = (
    sa.update(deliveries).where(_d.id.in_(_ids), _d.withheld_at.is_(None)).values(withheld_at=bindparam("at"))
)
_mark_cancelled = (
    sa.update(deliveries)
    .where(_d.id.in_(_ids))
    .values(state=int(State.CANCELLED), reason=bindparam("why", type_=sa.Text))
)
_need = (
    sa.update(subscriptions)
    .where(_s.id == bindparam("subscription"))
    .values(needs=bindparam("credits"), attempts=_zero, due_at=bindparam("at"), lease_until=_zero)
)
_reset_attempts = sa.update(subscriptions).where(_s.id.in_(_queues)).values(needs=0, attempts=0)
_release = sa.update(subscriptions).where(_s.id.in_(_queues)).values(lease_until=0.0)
# attempts = 0 ends the retrying state, as other subscriptions to its URL would wait for it
_postpone = (
    sa.update(subscriptions)
    .where(_s.id.in_(_queues))
    .values(attempts=0, lease_until=0.0, due_at=bindparam("due"))
)


def save_prepared(session: Session, prepared: Iterable[tuple[int, bytes, int]]) -> None:
    """Store holds and bodies of deliveries, as (credits, body, delivery)."""
    session.many(_save_prepared, prepared)


def withhold(session: Session, needing: Sequence[tuple[int, int, int]], at: float) -> None:
    """Release subscriptions until the account has enough credits, as (credits, subscription, delivery).

    They are checked again after an hour, as the price may have dropped by then.
    """
    session.many(_need, [(credits, at, subscription_id) for credits, subscription_id, _ in needing])
    session.run_in(_withhold, "ids", [id for *_, id in needing], at=at)


def mark_cancelled(session: Session, ids: Collection[int], reason: str) -> None:
    session.run_in(_mark_cancelled, "ids", sorted(ids), why=reason)


def reset_attempts(session: Session, subscription_ids: Collection[int]) -> None:
    """Reset the attempts and needs of subscriptions whose head is new and affordable."""
    session.run_in(_reset_attempts, "subscriptions", sorted(subscription_ids))


def release(session: Session, subscription_ids: Collection[int]) -> None:
    session.run_in(_release, "subscriptions", sorted(subscription_ids))


def postpone(session: Session, subscription_ids: Collection[int], due_at: float) -> None:
    session.run_in(_postpone, "subscriptions", sorted(subscription_ids), due=due_at)


# --- cancelled deliveries ---

_cancelled = _d.state == sa.literal_column(str(int(State.CANCELLED)))
_cancelled_accounts = sa.select(_d.account_id).where(_cancelled).distinct()
_cancelled_of = (
    sa.select(_d.id)
    .where(_d.account_id == bindparam("account"), _cancelled)
    .limit(bindparam("limit", type_=sa.Integer))
)


def accounts_with_cancelled(session: Session) -> list[int]:
    return [row[0] for row in session.all(_cancelled_accounts)]


def find_cancelled(session: AccountSession, limit: int) -> list[int]:
    """Return cancelled deliveries of the account."""
    return [row[0] for row in session.all(_cancelled_of, {"limit": limit})]

"""SQL on subscriptions from their owner's side; `queue_store` has their queues.

Rows are selected by account, so no account reads another's. Queue counters and leases are never written here: a
subscription may change while one of its deliveries is in flight.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import AccountSession
from firmograph.webhooks.deliveries import scheduled_store
from firmograph.webhooks.tables import subscriptions


class Subscription(NamedTuple):
    """Stored subscription."""

    id: int
    token: str
    """Public id."""
    account_id: int
    entity: int
    entity_id: int | None
    """None for opt-outs."""
    named: str
    types: str
    """Joined by commas."""
    partner: str
    name: str | None
    url: str
    origin: str
    active: int
    block_reason: str | None
    blocked_at: float | None
    disabled_at: float | None
    """Time since which its owner has disabled it."""
    created_at: float
    updated_at: float
    after_signal: int
    queued: int
    attempts: int
    needs: int
    due_at: float
    lease_until: float
    fence: int


class NewSubscription(NamedTuple):
    """Values of a subscription to create."""

    token: str
    entity: int
    entity_id: int | None
    named: str
    types: str
    partner: str
    name: str | None
    url: str
    origin: str
    created_at: float
    after_signal: int


class SubscriptionChange(NamedTuple):
    """Fields that the owner may change."""

    types: str
    name: str | None
    url: str
    origin: str
    updated_at: float


_c = subscriptions.c
_ids = _c.id.in_(bindparam("ids", expanding=True))
_owned = _c.account_id == bindparam("account")
_all = sa.select(subscriptions)
_find = _all.where(_owned, _c.token == bindparam("token"))
# every transaction locks subscriptions in the order of their ids
_lock = (
    _all.where(_owned, _c.token.in_(bindparam("tokens", expanding=True))).order_by(_c.id).with_for_update()
)
_read_page = (
    _all.where(_owned)
    .order_by(_c.id.desc())
    .limit(bindparam("limit", type_=sa.Integer))
    .offset(bindparam("offset", type_=sa.Integer))
)
_count = sa.select(sa.func.count()).where(_owned)
_find_subscribed = sa.select(_c.entity_id).where(
    _owned,
    _c.entity == bindparam("entity", type_=sa.SmallInteger),
    _c.entity_id.in_(bindparam("numbers", expanding=True)),
)
_has_opt_out = sa.select(_c.id).where(_owned, _c.entity_id.is_(None), _c.partner == bindparam("partner"))
_ADDED = tuple(name for name in Subscription._fields if name not in ("id", "account_id"))
_DEFAULTS: dict[str, object] = {
    "active": 1,
    "block_reason": None,
    "blocked_at": None,
    "disabled_at": None,
    "queued": 0,
    "attempts": 0,
    "needs": 0,
    "lease_until": 0.0,
    "fence": 0,
}
_change = (
    sa.update(subscriptions)
    .where(_owned, _c.id == bindparam("which"))
    .values({name: bindparam(name) for name in SubscriptionChange._fields})
)
_reactivate = (
    sa.update(subscriptions)
    .where(_owned, _ids)
    .values(
        active=1,
        block_reason=None,
        blocked_at=None,
        disabled_at=None,
        attempts=0,
        needs=0,
        due_at=bindparam("at"),
        updated_at=bindparam("at"),
    )
)
_reset_retries = sa.update(subscriptions).where(_owned, _ids).values(attempts=0, due_at=bindparam("at"))
_disable = (
    sa.update(subscriptions)
    .where(_owned, _ids)
    .values(
        active=0,
        block_reason=None,
        blocked_at=None,
        # the earliest time counts, as queued deliveries expire by it
        disabled_at=sa.func.coalesce(_c.disabled_at, _c.blocked_at, bindparam("at", type_=sa.Double)),
        updated_at=bindparam("at"),
    )
)
_delete = sa.delete(subscriptions).where(_owned, _ids)


def find(session: AccountSession, token: str) -> Subscription | None:
    row = session.one(_find, {"token": token})
    return Subscription(*row) if row else None


def lock(session: AccountSession, tokens: Collection[str]) -> list[Subscription]:
    """Return those of the subscriptions that exist, by id, and block new deliveries until the transaction ends."""
    rows = session.all_in(_lock, "tokens", sorted(tokens))
    return [Subscription(*row) for row in rows]


def read_page(session: AccountSession, limit: int, offset: int) -> list[Subscription]:
    """Return one page, newest first."""
    rows = session.all(_read_page, {"limit": limit, "offset": offset})
    return [Subscription(*row) for row in rows]


def count(session: AccountSession) -> int:
    row = session.one(_count)
    return row[0] if row else 0


def find_subscribed(session: AccountSession, entity: int, numbers: Collection[int]) -> set[int]:
    """Return those of the records that the account has subscribed to."""
    rows = session.all_in(_find_subscribed, "numbers", sorted(numbers), entity=entity)
    return {row[0] for row in rows}


def has_opt_out(session: AccountSession, partner: str) -> bool:
    """Return whether the account has an opt-out subscription for this partner; empty for none."""
    return session.one(_has_opt_out, {"partner": partner}) is not None


def add(session: AccountSession, new: Sequence[NewSubscription]) -> None:
    """Insert active subscriptions without deliveries. One statement."""
    rows = [_row(one) for one in new]
    session.load(subscriptions, rows, _ADDED)


def _row(new: NewSubscription) -> tuple[object, ...]:
    values = _DEFAULTS | new._asdict() | {"updated_at": new.created_at, "due_at": new.created_at}
    return tuple(values[name] for name in _ADDED)


def change(session: AccountSession, id: int, changed: SubscriptionChange) -> None:
    session.execute(_change, {"which": id, **changed._asdict()})


def reactivate(session: AccountSession, ids: Collection[int], at: float) -> None:
    """Activate and unblock subscriptions; their first delivery is due at once, with all its retries."""
    session.run_in(_reactivate, "ids", sorted(ids), at=at)


def reset_retries(session: AccountSession, ids: Collection[int], at: float) -> None:
    """Make the first delivery due at once, with all its retries."""
    session.run_in(_reset_retries, "ids", sorted(ids), at=at)


def disable(session: AccountSession, ids: Collection[int], at: float) -> None:
    """Disable subscriptions for their owner: not blocked, and no new deliveries."""
    session.run_in(_disable, "ids", sorted(ids), at=at)


def delete(session: AccountSession, ids: Collection[int]) -> None:
    """Delete subscriptions, whose deliveries are cancelled already, with their scheduled deliveries."""
    scheduled_store.delete_of_subscriptions(session, ids)
    session.run_in(_delete, "ids", sorted(ids))

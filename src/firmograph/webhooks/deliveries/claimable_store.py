"""SQL that selects the subscriptions whose first delivery may be claimed.

See docs/reference/webhooks.md#bounds.

Literals in conditions match those of partial indexes.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts
from firmograph.billing.tables import balances
from firmograph.database.connection import Session
from firmograph.webhooks.tables import subscriptions

MAX_PER_ORIGIN: Final = 20
"""Deliveries in flight to one origin for one account, over all workers."""

MAX_PER_ACCOUNT: Final = 200
"""Deliveries in flight for one account, over all workers: half of one worker's slots."""

FAIR_PER_ACCOUNT: Final = 20
"""Deliveries in flight up to which an account may use the reserved slots."""
RESERVED_SLOTS: Final = 100
"""Slots of a worker reserved for accounts with few deliveries in flight.

Without them, accounts with unresponsive receivers would take all slots until their attempts time out.
"""

_RECHECK_SECONDS: Final = 3_600.0
"""Time after which the price of a withheld delivery is looked up again.

The plan may have become cheaper, or a call may have paid for the signal.
"""


class Claimable(NamedTuple):
    """Subscription whose first delivery may be claimed."""

    subscription_id: int
    account_id: int


_s = subscriptions.c
_now = bindparam("now", type_=sa.Double)
_zero: sa.ColumnElement[int] = sa.literal_column("0")
_one: sa.ColumnElement[int] = sa.literal_column("1")

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


def _rank(within: Sequence[Any], due_at: sa.ColumnElement[float], id: sa.ColumnElement[int]) -> Any:
    return sa.func.row_number().over(partition_by=within, order_by=(due_at, id))


def _or_zero(busy: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    # PostgreSQL sums of bigint are numeric, which does not compare with row numbers
    return sa.cast(sa.func.coalesce(busy, _zero), sa.BigInteger)


_due = (
    sa.select(
        _s.id,
        _s.account_id,
        _s.due_at,
        (_or_zero(_busy_origins.c.busy) + _rank((_s.account_id, _s.origin), _s.due_at, _s.id)).label("rank"),
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
            _s.due_at <= _now - _RECHECK_SECONDS,
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
        (_or_zero(_busy_accounts.c.busy) + _rank((_due.c.account_id,), _due.c.due_at, _due.c.id)).label(
            "rank"
        ),
    )
    .select_from(_due.outerjoin(_busy_accounts, _busy_accounts.c.account_id == _due.c.account_id))
    .where(_due.c.rank <= MAX_PER_ORIGIN)
    .cte("fair")
)
_claimable = (
    sa.select(_fair.c.id, _fair.c.account_id, _fair.c.rank)
    .where(_fair.c.rank <= MAX_PER_ACCOUNT)
    # round robin: accounts with the fewest deliveries in flight first
    .order_by(_fair.c.rank, _fair.c.due_at, _fair.c.id)
    .limit(bindparam("limit", type_=sa.Integer))
)


def find_claimable(session: Session, limit: int, now: float) -> list[Claimable]:
    """Return subscriptions that are due, unclaimed and affordable, within the bounds and fair to all accounts.

    `limit` is the number of free slots of the worker. While a subscription of an account retries, the account's other
    subscriptions to the same URL are left out; of several that retry, only the first is returned.
    """
    rows = session.all(_claimable, {"limit": limit, "now": now})
    return [
        Claimable(subscription_id, account)
        for index, (subscription_id, account, rank) in enumerate(rows)
        if rank <= FAIR_PER_ACCOUNT or index < limit - RESERVED_SLOTS
    ]

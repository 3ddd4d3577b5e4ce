"""All SQL that chooses which lanes may go now (decisions G, Bounds).

Partial indices serve the conditions that stand here as literals.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts, balances
from firmograph.database.connection import Session
from firmograph.webhooks.tables import subscriptions

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


class Candidate(NamedTuple):
    """A lane whose first delivery may go."""

    lane: int
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

"""SQL that finds the deliveries whose time is up (decisions G); those that are on their way are left alone."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts, balances
from firmograph.database.connection import Session
from firmograph.webhooks.tables import deliveries, subscriptions
from firmograph.webhooks.types import State

Found = tuple[int, int]
"""A row, and the account that it is of."""

_d, _s, _b = deliveries.c, subscriptions.c, balances.c
_head = deliveries.alias("head").c
_before: sa.BindParameter[float] = bindparam("before", type_=sa.Double)


def _in_state(column: "sa.ColumnElement[int]", state: State) -> "sa.ColumnElement[bool]":
    # as a constant, by which the database knows the indexes that are of one state only
    return column == sa.literal_column(f"{int(state)}")


_free = _s.lease_until <= bindparam("now", type_=sa.Double)
_waits = sa.and_(_in_state(_d.state, State.WAITING), _free)
_disabled = sa.and_(_s.active == 0, sa.func.coalesce(_s.blocked_at, _s.disabled_at) <= _before)
_withheld_lanes = sa.select(_head.subscription_id).where(
    _head.withheld_at <= _before, _in_state(_head.state, State.WAITING), _head.held.is_(None)
)
_remaining = (
    sa.select(_b.granted - _b.used - _b.held)
    .where(_b.account_id == _s.account_id)
    .correlate(subscriptions)
    .scalar_subquery()
)
_poor = sa.or_(_s.needs == 0, _s.needs > _remaining)


class Aged(Enum):
    """Why the time of deliveries may be up."""

    WITHHELD = (
        _waits,
        _d.made_at <= _before,
        _d.held.is_(None),
        _s.id.in_(_withheld_lanes),
        _poor,
    )
    """Behind one that credits have been missing for since then, or that one itself."""
    BLOCKED = (
        _waits,
        _d.made_at <= _before,
        _d.signal_id.is_not(None),
        _disabled,
    )
    """Their subscription has been disabled since then. Not opt-outs."""
    FAILED = (_in_state(_d.state, State.FAILED), _d.failed_at <= _before)
    """Dead letters."""
    STOPPED = (_waits, _d.made_at <= _before, _d.signal_id.is_not(None))
    """Of accounts that are told nothing, which are not looked for here. Not opt-outs."""
    OPT_OUT = (
        sa.or_(_waits, _in_state(_d.state, State.FAILED)),
        _d.signal_id.is_(None),
        _d.made_at <= _before,
    )
    """They hold a person's data, in whatever state they are."""


def _select(aged: Aged, *more: Any) -> "sa.Select[tuple[int, int]]":
    joined = deliveries.join(subscriptions, _s.id == _d.subscription_id)
    return sa.select(_d.id, _d.account_id).select_from(joined).where(*aged.value, *more)


_most: sa.BindParameter[int] = bindparam("most", type_=sa.Integer)
_FIND: Final = {
    Aged.FAILED: _select(Aged.FAILED).order_by(_d.failed_at).limit(_most),
    Aged.OPT_OUT: _select(Aged.OPT_OUT).order_by(_d.made_at).limit(_most),
}
_oldest = (
    sa.select(_head.made_at)
    .where(_head.subscription_id == _s.id, _in_state(_head.state, State.WAITING))
    .order_by(_head.id)
    .limit(sa.literal_column("1"))
    .correlate(subscriptions)
    .scalar_subquery()
)
_LANES: Final = {
    Aged.WITHHELD: sa.select(_s.id, _s.account_id)
    .where(_free, _s.id.in_(_withheld_lanes), _poor)
    .limit(_most),
    Aged.BLOCKED: sa.select(_s.id, _s.account_id)
    .where(_free, _s.queued > 0, _s.entity_id.is_not(None), _disabled, _oldest <= _before)
    .limit(_most),
}
_accounts: sa.BindParameter[int] = bindparam("accounts", expanding=True)
_LANES_OF: Final = (
    sa.select(_s.id, _s.account_id)
    .where(
        _s.account_id.in_(_accounts),
        _free,
        _s.queued > 0,
        _s.entity_id.is_not(None),
        _oldest <= _before,
    )
    .limit(_most)
)
_STANDING: Final = sa.select(accounts.c.id, accounts.c.active, accounts.c.plan).order_by(accounts.c.id)
_STANDING_OF: Final = _STANDING.where(accounts.c.id.in_(_accounts))
# the newest first: the first of all, by which the others are told to be withheld, goes last
_OF_LANE: Final = (
    sa.select(_d.id)
    .where(_d.subscription_id == bindparam("lane"), _in_state(_d.state, State.WAITING), _d.made_at <= _before)
    .order_by(_d.id.desc())
    .limit(_most)
)
_AMONG: Final = {aged: _select(aged, _d.id.in_(bindparam("ids", expanding=True))) for aged in Aged}


def find(session: Session, aged: Aged, before: float, now: float, most: int) -> list[Found]:
    """Deliveries of which it holds since then."""
    if aged in _LANES:
        lanes = session.all(_LANES[aged], {"before": before, "now": now, "most": most})
        return _of_lanes(session, lanes, before, most)
    rows = session.all(_FIND[aged], _given(aged, before, now) | {"most": most})
    return [(row[0], row[1]) for row in rows]


def find_of(
    session: Session, account_ids: Sequence[int], before: float, now: float, most: int
) -> list[Found]:
    """Those that have waited for these accounts since then. Not opt-outs."""
    given = {"before": before, "now": now, "most": most}
    lanes = session.all_in(_LANES_OF, "accounts", account_ids, **given)
    return _of_lanes(session, lanes, before, most)


def standing(session: Session, account_ids: Sequence[int] | None = None) -> list[tuple[int, bool, str]]:
    """Of these accounts, or of all, whether they are active, and their plans."""
    rows = (
        session.all(_STANDING)
        if account_ids is None
        else session.all_in(_STANDING_OF, "accounts", account_ids)
    )
    return [(row[0], bool(row[1]), row[2]) for row in rows]


def _of_lanes(session: Session, lanes: Sequence[Any], before: float, most: int) -> list[Found]:
    found: list[Found] = []
    for lane, account in lanes:
        rows = session.all(_OF_LANE, {"lane": lane, "before": before, "most": most - len(found)})
        found += [(row[0], account) for row in rows]
        if len(found) >= most:
            break
    return found


def still(session: Session, aged: Aged, before: float, now: float, ids: Sequence[int]) -> list[Found]:
    """Those of these of which it still holds."""
    rows = session.all_in(_AMONG[aged], "ids", ids, **_given(aged, before, now))
    return [(row[0], row[1]) for row in rows]


def _given(aged: Aged, before: float, now: float) -> dict[str, float]:
    return {"before": before} if aged is Aged.FAILED else {"before": before, "now": now}

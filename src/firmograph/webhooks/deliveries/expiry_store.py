"""SQL that finds expired deliveries; those in flight are left alone."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts
from firmograph.billing.tables import balances
from firmograph.database.connection import Session
from firmograph.webhooks.tables import deliveries, subscriptions
from firmograph.webhooks.types import State

ExpiredRow = tuple[int, int]
"""Row id and account id."""

_d, _s, _b = deliveries.c, subscriptions.c, balances.c
_head = deliveries.alias("head").c
_before: sa.BindParameter[float] = bindparam("before", type_=sa.Double)


def _in_state(column: "sa.ColumnElement[int]", state: State) -> "sa.ColumnElement[bool]":
    # a constant, as partial indexes cover one state only
    return column == sa.literal_column(f"{int(state)}")


_is_unclaimed = _s.lease_until <= bindparam("now", type_=sa.Double)
_is_waiting = sa.and_(_in_state(_d.state, State.WAITING), _is_unclaimed)
_disabled = sa.and_(_s.active == 0, sa.func.coalesce(_s.blocked_at, _s.disabled_at) <= _before)
_withheld_queues = sa.select(_head.subscription_id).where(
    _head.withheld_at <= _before, _in_state(_head.state, State.WAITING), _head.held.is_(None)
)
_remaining = (
    sa.select(_b.granted - _b.used - _b.held)
    .where(_b.account_id == _s.account_id)
    .correlate(subscriptions)
    .scalar_subquery()
)
_lacks_credits = sa.or_(_s.needs == 0, _s.needs > _remaining)


class ExpiryRule(Enum):
    """Condition under which deliveries expire."""

    WITHHELD = (
        _is_waiting,
        _d.made_at <= _before,
        _d.held.is_(None),
        _s.id.in_(_withheld_queues),
        _lacks_credits,
    )
    """The delivery that lacks credits, and those queued behind it."""
    BLOCKED = (
        _is_waiting,
        _d.made_at <= _before,
        _d.signal_id.is_not(None),
        _disabled,
    )
    """Signal deliveries of a disabled subscription."""
    FAILED = (_in_state(_d.state, State.FAILED), _d.failed_at <= _before)
    """Dead letters."""
    STOPPED = (_is_waiting, _d.made_at <= _before, _d.signal_id.is_not(None))
    """Signal deliveries of accounts that receive none; the caller selects these accounts."""
    OPT_OUT = (
        sa.or_(_is_waiting, _in_state(_d.state, State.FAILED)),
        _d.signal_id.is_(None),
        _d.made_at <= _before,
    )
    """Opt-outs in any state, as they hold personal data."""


def _select(rule: ExpiryRule, *more: Any) -> "sa.Select[tuple[int, int]]":
    joined = deliveries.join(subscriptions, _s.id == _d.subscription_id)
    return sa.select(_d.id, _d.account_id).select_from(joined).where(*rule.value, *more)


_limit: sa.BindParameter[int] = bindparam("limit", type_=sa.Integer)
_FIND: Final = {
    ExpiryRule.FAILED: _select(ExpiryRule.FAILED).order_by(_d.failed_at).limit(_limit),
    ExpiryRule.OPT_OUT: _select(ExpiryRule.OPT_OUT).order_by(_d.made_at).limit(_limit),
}
_oldest = (
    sa.select(_head.made_at)
    .where(_head.subscription_id == _s.id, _in_state(_head.state, State.WAITING))
    .order_by(_head.id)
    .limit(sa.literal_column("1"))
    .correlate(subscriptions)
    .scalar_subquery()
)
_QUEUES: Final = {
    ExpiryRule.WITHHELD: sa.select(_s.id, _s.account_id)
    .where(_is_unclaimed, _s.id.in_(_withheld_queues), _lacks_credits)
    .limit(_limit),
    ExpiryRule.BLOCKED: sa.select(_s.id, _s.account_id)
    .where(_is_unclaimed, _s.queued > 0, _s.entity_id.is_not(None), _disabled, _oldest <= _before)
    .limit(_limit),
}
_accounts: sa.BindParameter[int] = bindparam("accounts", expanding=True)
_QUEUES_OF: Final = (
    sa.select(_s.id, _s.account_id)
    .where(
        _s.account_id.in_(_accounts),
        _is_unclaimed,
        _s.queued > 0,
        _s.entity_id.is_not(None),
        _oldest <= _before,
    )
    .limit(_limit)
)
_ACCOUNT_STATES: Final = sa.select(accounts.c.id, accounts.c.active, accounts.c.plan).order_by(accounts.c.id)
_ACCOUNT_STATES_OF: Final = _ACCOUNT_STATES.where(accounts.c.id.in_(_accounts))
# newest first: the head of the queue, which marks the others as withheld, goes last
_OF_QUEUE: Final = (
    sa.select(_d.id)
    .where(
        _d.subscription_id == bindparam("subscription"),
        _in_state(_d.state, State.WAITING),
        _d.made_at <= _before,
    )
    .order_by(_d.id.desc())
    .limit(_limit)
)
_STILL: Final = {rule: _select(rule, _d.id.in_(bindparam("ids", expanding=True))) for rule in ExpiryRule}


def find_expired(
    session: Session, rule: ExpiryRule, before: float, now: float, limit: int
) -> list[ExpiredRow]:
    """Return deliveries for which the rule has held since `before`."""
    if rule in _QUEUES:
        queues = session.all(_QUEUES[rule], {"before": before, "now": now, "limit": limit})
        return _in_queues(session, queues, before, limit)
    rows = session.all(_FIND[rule], _parameters(rule, before, now) | {"limit": limit})
    return [(row[0], row[1]) for row in rows]


def find_waiting_of(
    session: Session, account_ids: Sequence[int], before: float, now: float, limit: int
) -> list[ExpiredRow]:
    """Return signal deliveries that have waited for these accounts since `before`."""
    parameters = {"before": before, "now": now, "limit": limit}
    queues = session.all_in(_QUEUES_OF, "accounts", account_ids, **parameters)
    return _in_queues(session, queues, before, limit)


def account_states(session: Session, account_ids: Sequence[int] | None = None) -> list[tuple[int, bool, str]]:
    """Return (account, active, plan) of these accounts, or of all."""
    rows = (
        session.all(_ACCOUNT_STATES)
        if account_ids is None
        else session.all_in(_ACCOUNT_STATES_OF, "accounts", account_ids)
    )
    return [(row[0], bool(row[1]), row[2]) for row in rows]


def _in_queues(session: Session, queues: Sequence[Any], before: float, limit: int) -> list[ExpiredRow]:
    found: list[ExpiredRow] = []
    for subscription, account in queues:
        rows = session.all(
            _OF_QUEUE, {"subscription": subscription, "before": before, "limit": limit - len(found)}
        )
        found += [(row[0], account) for row in rows]
        if len(found) >= limit:
            break
    return found


def still_expired(
    session: Session, rule: ExpiryRule, before: float, now: float, ids: Sequence[int]
) -> list[ExpiredRow]:
    """Return those of the deliveries for which the rule still holds."""
    rows = session.all_in(_STILL[rule], "ids", ids, **_parameters(rule, before, now))
    return [(row[0], row[1]) for row in rows]


def _parameters(rule: ExpiryRule, before: float, now: float) -> dict[str, float]:
    return {"before": before} if rule is ExpiryRule.FAILED else {"before": before, "now": now}

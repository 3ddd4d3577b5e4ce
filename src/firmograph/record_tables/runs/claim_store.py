"""SQL on open runs of all accounts: which a worker may claim, how they are freed, and how many there are."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts, api_keys
from firmograph.database.connection import Session
from firmograph.database.leases import Claim, Leases
from firmograph.record_tables.tables import record_table_runs
from firmograph.record_tables.types import RunState

leases: Leases[int] = Leases(record_table_runs)

_r = record_table_runs.c
_now = bindparam("now", type_=sa.Double)
# literals match the condition of a partial index
_is_open: "sa.ColumnElement[bool]" = _r.state == sa.literal_column(str(int(RunState.OPEN)))
_of_active_accounts = record_table_runs.join(accounts, accounts.c.id == _r.account_id)
_is_active: "sa.ColumnElement[bool]" = accounts.c.active == sa.literal_column("1")

_in_work = sa.case((_r.lease_until > _now, 1), else_=0)
_due = (
    sa.select(
        _r.id,
        _r.account_id,
        accounts.c.plan,
        _r.due_at,
        _r.actor,
        _in_work.label("in_work"),
        sa.func.sum(_in_work).over(partition_by=_r.account_id).label("busy"),
        sa.func.row_number()
        .over(partition_by=[_r.account_id, _in_work], order_by=[_r.due_at, _r.id])
        .label("place"),
    )
    .select_from(_of_active_accounts)
    .where(_is_open, _is_active, _r.due_at <= _now)
    .subquery("due")
)
_place = _due.c.busy + _due.c.place
_daily_credits = (
    sa.select(sa.func.min(api_keys.c.daily_credits))
    .where(api_keys.c.account_id == _due.c.account_id, api_keys.c.prefix == _due.c.actor)
    .scalar_subquery()
)
_CLAIMABLE = (
    sa.select(_due.c.id, _due.c.account_id, _due.c.plan, sa.cast(_place, sa.BigInteger), _daily_credits)
    .where(_due.c.in_work == sa.literal_column("0"), _due.c.place <= bindparam("most"))
    .order_by(_place, _due.c.due_at, _due.c.id)
)
_SETTLE = (
    sa.update(record_table_runs)
    .where(leases.held)
    .values(lease_until=0, due_at=sa.case((_is_open, bindparam("due", type_=sa.Double)), else_=_r.due_at))
)
_BACKLOG = (
    sa.select(sa.func.count(), sa.func.min(_r.created_at))
    .select_from(_of_active_accounts)
    .where(_is_open, _is_active)
)


class ClaimableRun(NamedTuple):
    """Open run that is due and free."""

    run_id: int
    account_id: int
    plan: str
    place: int
    """Among the due runs of its account: first those that a worker has, then those that waited the longest."""
    daily_credits: int | None
    """Daily cap of the key that began it."""


class OpenRuns(NamedTuple):
    """Backlog of all workers."""

    number: int
    oldest_seconds: int
    """Age of the one accepted first; 0 without any."""


def find_claimable(session: Session, most: int, now: float) -> Sequence[ClaimableRun]:
    """Return the runs of each account that may be among the next `most`, by place and then the longest wait."""
    return [ClaimableRun(*row) for row in session.all(_CLAIMABLE, {"most": most, "now": now})]


def settle(session: Session, claim: Claim[int], due_at: float) -> bool:
    """Free a run after work on it, due again if it is open; return False if another worker owns it."""
    return bool(session.execute(_SETTLE, {**claim.holding(), "due": due_at}).rowcount == 1)


def backlog(session: Session, now: float) -> OpenRuns:
    """Return the open runs of the whole database."""
    row = session.one(_BACKLOG)
    number, oldest = row or (0, None)
    return OpenRuns(number, 0 if oldest is None else max(0, int(now - oldest)))

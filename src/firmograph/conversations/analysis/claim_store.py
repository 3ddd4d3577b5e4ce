"""SQL on conversations of all accounts that wait for an analysis."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.conversations.tables import conversations
from firmograph.conversations.types import NEVER, ConversationState
from firmograph.database.connection import Session
from firmograph.database.leases import Claim, Leases

leases: Leases[int] = Leases(conversations)

_c = conversations.c
_accounts = sa.table("accounts", sa.column("id", sa.BigInteger), sa.column("active", sa.SmallInteger))
_is_active = _accounts.c.active == sa.literal_column("1")
_now = bindparam("now", type_=sa.Double)
_due = (
    sa.select(
        _c.id,
        _c.account_id,
        _c.due_at,
        sa.func.row_number().over(partition_by=_c.account_id, order_by=[_c.due_at, _c.id]).label("place"),
    )
    .select_from(conversations.join(_accounts, _accounts.c.id == _c.account_id))
    .where(_c.due_at <= _now, _c.lease_until <= _now, _is_active)
    .subquery("due")
)
_CLAIMABLE = (
    sa.select(_due.c.id, _due.c.account_id)
    .order_by(_due.c.place, _due.c.due_at, _due.c.id)
    .limit(bindparam("most", type_=sa.Integer))
)
_FINISH = (
    sa.update(conversations)
    .where(leases.held)
    .values(lease_until=0, due_at=NEVER, state=int(ConversationState.ANALYSED), failures=0, failure=None)
)
_FAIL = (
    sa.update(conversations)
    .where(leases.held)
    .values(
        lease_until=0,
        due_at=bindparam("due", type_=sa.Double),
        failures=_c.failures + 1,
        failure=bindparam("failure", type_=sa.Text),
    )
)
_BACKLOG = sa.select(sa.func.count(), sa.func.min(_c.imported_at)).where(
    _c.due_at < bindparam("never", type_=sa.Double)
)


class WaitingAnalyses(NamedTuple):
    """Backlog of all workers."""

    number: int
    oldest_seconds: int
    """Since the import of the one that was imported first; 0 without any."""


def find_claimable(session: Session, most: int, now: float) -> Sequence[tuple[int, int]]:
    """Return number and account of due conversations, one of each account before the second of any."""
    return [(row[0], row[1]) for row in session.all(_CLAIMABLE, {"most": most, "now": now})]


def finish(session: Session, claim: Claim[int]) -> bool:
    """Note an analysis; return False if another worker owns the conversation, or it has changed."""
    return bool(session.execute(_FINISH, claim.holding()).rowcount == 1)


def fail(session: Session, claim: Claim[int], due_at: float, failure: str) -> bool:
    """Note a failed analysis; return False as `finish` does."""
    given = {**claim.holding(), "due": due_at, "failure": failure}
    return bool(session.execute(_FAIL, given).rowcount == 1)


def backlog(session: Session, now: float) -> WaitingAnalyses:
    """Return the conversations of the whole database that wait."""
    number, oldest = session.one(_BACKLOG, {"never": NEVER}) or (0, None)
    return WaitingAnalyses(number, 0 if oldest is None else max(0, int(now - oldest)))

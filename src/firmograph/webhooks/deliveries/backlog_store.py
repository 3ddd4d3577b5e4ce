"""How much is before the workers, for whoever watches them: by it a standstill is told from having nothing to do."""

from typing import NamedTuple

import sqlalchemy as sa

from firmograph.accounts.tables import accounts
from firmograph.database.connection import Session
from firmograph.signals import store as signal_store
from firmograph.webhooks.deliveries import fan_out_store
from firmograph.webhooks.tables import subscriptions


class Backlog(NamedTuple):
    deliveries: int
    """Those that nothing keeps from being sent now, or only others before them."""
    signals: int
    """Signals of which no deliveries were made yet: the difference of two numbers, so gaps count."""


_s = subscriptions.c
_zero: sa.ColumnElement[int] = sa.literal_column("0")
_one: sa.ColumnElement[int] = sa.literal_column("1")
# a partial index serves the conditions that stand here as literals
_deliveries = (
    sa.select(sa.cast(sa.func.coalesce(sa.func.sum(_s.queued), _zero), sa.BigInteger))
    .select_from(subscriptions.join(accounts, accounts.c.id == _s.account_id))
    .where(
        _s.queued > _zero,
        _s.active == _one,
        _s.due_at <= sa.bindparam("now", type_=sa.Double),
        _s.needs == _zero,
        accounts.c.active == _one,
    )
)


def backlog(session: Session, now: float) -> Backlog:
    """As it is now, of the whole database. Three statements, the first of which reads the lanes that have work."""
    due = session.one(_deliveries, {"now": now})
    passed = fan_out_store.position(session) or 0
    # the last one that was passed may have gone since
    return Backlog(due[0] if due else 0, max(0, signal_store.last(session) - passed))

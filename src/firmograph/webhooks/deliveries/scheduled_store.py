"""SQL on deliveries scheduled for signals dated in the future.

They join the queue when that day begins.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert
from firmograph.webhooks.tables import coming_deliveries, subscriptions


class ScheduledDelivery(NamedTuple):
    """Delivery that joins the queue at its due time."""

    payload_id: str
    account_id: int
    subscription_id: int
    signal_id: int
    identity: bytes
    due_at: float


_c = coming_deliveries.c
_due = _c.due_at <= bindparam("now", type_=sa.Double)
_has_due = sa.select(_c.payload_id).where(_due).limit(sa.literal_column("1"))
_all_due = (
    sa.select(coming_deliveries)
    .where(_due)
    .order_by(_c.due_at, _c.signal_id, _c.payload_id)
    .limit(bindparam("limit", type_=sa.Integer))
)
_add = insert(coming_deliveries).values({column.name: bindparam(column.name) for column in _c})
# the signal may have been deleted and detected again
_add = _add.on_conflict_do_update(
    index_elements=[_c.payload_id],
    set_={"signal_id": _add.excluded.signal_id, "due_at": _add.excluded.due_at},
)
_delete = sa.delete(coming_deliveries).where(_c.payload_id.in_(bindparam("payload_ids", expanding=True)))
_delete_of_subscriptions = sa.delete(coming_deliveries).where(
    _c.account_id == bindparam("account"), _c.subscription_id.in_(bindparam("subscriptions", expanding=True))
)
_delete_of_signals = sa.delete(coming_deliveries).where(
    _c.signal_id.in_(bindparam("signals", expanding=True))
)
_count = sa.select(sa.func.count()).where(_c.account_id == bindparam("account"))
_count_of = (
    sa.select(sa.func.count())
    .select_from(coming_deliveries.join(subscriptions, subscriptions.c.id == _c.subscription_id))
    .where(
        subscriptions.c.account_id == bindparam("account"), subscriptions.c.token == bindparam("subscription")
    )
)


def add(session: Session, new: Sequence[ScheduledDelivery]) -> None:
    session.many(_add, new)


def has_due(session: Session, now: float) -> bool:
    """Return whether any delivery is due. One index read."""
    return session.one(_has_due, {"now": now}) is not None


def find_due(session: Session, now: float, limit: int) -> list[ScheduledDelivery]:
    """Return due deliveries, ordered by day and then by detection."""
    return [ScheduledDelivery(*row) for row in session.all(_all_due, {"now": now, "limit": limit})]


def delete(session: Session, payload_ids: Collection[str]) -> None:
    session.run_in(_delete, "payload_ids", sorted(payload_ids))


def delete_of_subscriptions(session: AccountSession, ids: Collection[int]) -> None:
    session.run_in(_delete_of_subscriptions, "subscriptions", sorted(ids))


def delete_of_signals(session: Session, ids: Collection[int]) -> None:
    session.run_in(_delete_of_signals, "signals", sorted(ids))


def count(session: AccountSession, subscription: str | None) -> int:
    """Count the deliveries of an account, or of one of its subscriptions by public id."""
    row = (
        session.one(_count)
        if subscription is None
        else session.one(_count_of, {"subscription": subscription})
    )
    return row[0] if row else 0

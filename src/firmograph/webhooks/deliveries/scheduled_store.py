"""All SQL on deliveries of signals whose day is still to come: made at detection, queued when that day begins."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.webhooks.tables import coming_deliveries, subscriptions


class Coming(NamedTuple):
    payload_id: str
    account_id: int
    subscription_id: int
    signal_id: int
    identity: bytes
    due_at: float


_c = coming_deliveries.c
_due = _c.due_at <= bindparam("now", type_=sa.Double)
_is_due = sa.select(_c.payload_id).where(_due).limit(sa.literal_column("1"))
_all_due = (
    sa.select(coming_deliveries)
    .where(_due)
    .order_by(_c.due_at, _c.signal_id, _c.payload_id)
    .limit(bindparam("most", type_=sa.Integer))
)
_put = insert(coming_deliveries).values({column.name: bindparam(column.name) for column in _c})
# of a signal that went and was detected again
_put = _put.on_conflict_do_update(
    index_elements=[_c.payload_id],
    set_={"signal_id": _put.excluded.signal_id, "due_at": _put.excluded.due_at},
)
_drop = sa.delete(coming_deliveries).where(_c.payload_id.in_(bindparam("payload_ids", expanding=True)))
_drop_of_subscriptions = sa.delete(coming_deliveries).where(
    _c.subscription_id.in_(bindparam("subscriptions", expanding=True))
)
_drop_of_signals = sa.delete(coming_deliveries).where(_c.signal_id.in_(bindparam("signals", expanding=True)))
_count = sa.select(sa.func.count()).where(_c.account_id == bindparam("account"))
_count_of = (
    sa.select(sa.func.count())
    .select_from(coming_deliveries.join(subscriptions, subscriptions.c.id == _c.subscription_id))
    .where(
        subscriptions.c.account_id == bindparam("account"), subscriptions.c.token == bindparam("subscription")
    )
)


def put(session: Session, new: Sequence[Coming]) -> None:
    session.many(_put, new)


def is_due(session: Session, now: float) -> bool:
    """Tell whether the day of one has begun. One read of an index."""
    return session.one(_is_due, {"now": now}) is not None


def due(session: Session, now: float, most: int) -> list[Coming]:
    """Find those whose day has begun, in the order of their days, then of detection."""
    return [Coming(*row) for row in session.all(_all_due, {"now": now, "most": most})]


def drop(session: Session, payload_ids: Collection[str]) -> None:
    session.run_in(_drop, "payload_ids", sorted(payload_ids))


def drop_of_subscriptions(session: Session, ids: Collection[int]) -> None:
    session.run_in(_drop_of_subscriptions, "subscriptions", sorted(ids))


def drop_of_signals(session: Session, ids: Collection[int]) -> None:
    session.run_in(_drop_of_signals, "signals", sorted(ids))


def count(session: Session, account_id: int, subscription: str | None) -> int:
    """Count those of an account, or of one subscription of it by its public id."""
    row = (
        session.one(_count, {"account": account_id})
        if subscription is None
        else session.one(_count_of, {"account": account_id, "subscription": subscription})
    )
    return row[0] if row else 0

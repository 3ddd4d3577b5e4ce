"""All SQL of the fan-out: how far it is, who watches some records, the deliveries that it makes."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import accounts
from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.signals.tables import signals
from firmograph.webhooks.deliveries.matching import Watcher
from firmograph.webhooks.tables import deliveries, fanout_positions, subscriptions
from firmograph.webhooks.types import State


class NewDelivery(NamedTuple):
    payload_id: str
    account_id: int
    subscription_id: int
    state: State
    signal_id: int
    identity: bytes
    made_at: float


_SIGNALS = "signals"
_s = subscriptions.c
_position = sa.select(fanout_positions.c.signal_id).where(
    fanout_positions.c.name == sa.literal_column(f"'{_SIGNALS}'")
)
_behind = (
    sa.select(signals.c.id)
    .where(signals.c.id > sa.func.coalesce(_position.scalar_subquery(), -1))
    .order_by(signals.c.id)
    .limit(sa.literal_column("1"))
)
_put_position = insert(fanout_positions).values(
    name=bindparam("name"), signal_id=bindparam("signal", type_=sa.BigInteger)
)
_put_position = _put_position.on_conflict_do_update(
    index_elements=[fanout_positions.c.name], set_={"signal_id": _put_position.excluded.signal_id}
)
_watched = sa.select(_s.id).where(_s.entity_id.is_not(None)).limit(sa.literal_column("1"))
_first_signal = sa.select(sa.func.min(_s.after_signal)).where(_s.entity_id.is_not(None))
# disabled by its owner: no deliveries are made; blocked for its receiver: they wait (decisions G, Order and retries)
_open = sa.or_(_s.active == sa.literal_column("1"), _s.blocked_at.is_not(None))
_watchers = (
    sa.select(
        _s.id, _s.account_id, _s.token, _s.entity, _s.entity_id, _s.types, _s.after_signal, accounts.c.plan
    )
    .select_from(subscriptions.join(accounts, accounts.c.id == _s.account_id))
    .where(
        _s.entity_id.in_(bindparam("numbers", expanding=True)),
        _open,
        accounts.c.active == sa.literal_column("1"),
    )
    .order_by(_s.id)
)
# in the order of their ids, as everyone locks them
_locked = (
    sa.select(_s.id).where(_s.id.in_(bindparam("ids", expanding=True))).order_by(_s.id).with_for_update()
)
_locked_open = _locked.where(_open)


def is_behind(session: Session) -> bool:
    """Whether there is a signal of which no deliveries were made yet. One read of an index."""
    return session.one(_behind) is not None


def position(session: Session) -> int | None:
    """The last signal of which deliveries were made; None before the first time."""
    row = session.one(_position)
    return row[0] if row else None


def put_position(session: Session, signal: int) -> None:
    session.execute(_put_position, {"name": _SIGNALS, "signal": signal})


def is_watched(session: Session) -> bool:
    """Whether there is any subscription to a record."""
    return session.one(_watched) is not None


def first_signal(session: Session) -> int | None:
    """No subscription is told of this signal or one before it; None where there are no subscriptions."""
    row = session.one(_first_signal)
    return row[0] if row else None


def watchers(session: Session, numbers: Collection[int]) -> list[Watcher]:
    """Those of records of these numbers, of either entity, by id; not those that their owners disabled, nor those of
    disabled accounts. One statement."""
    return [Watcher(*row) for row in session.all_in(_watchers, "numbers", sorted(numbers))]


def locked(session: Session, ids: Collection[int], *, disabled: bool = False) -> set[int]:
    """Find those of the subscriptions that are still there, and not disabled by their owners unless these are asked
    for too: until the transaction ends they stay so."""
    return {row[0] for row in session.all_in(_locked if disabled else _locked_open, "ids", sorted(ids))}


def put(session: Session, new: Sequence[NewDelivery]) -> None:
    """In the order in which they are to be sent. One statement."""
    session.load(deliveries, new, NewDelivery._fields)

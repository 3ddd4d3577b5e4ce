"""SQL of the fan-out: position, watchers and new deliveries."""

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
    """Row of a delivery to queue."""

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
_save_position = insert(fanout_positions).values(
    name=bindparam("name"), signal_id=bindparam("signal", type_=sa.BigInteger)
)
_save_position = _save_position.on_conflict_do_update(
    index_elements=[fanout_positions.c.name], set_={"signal_id": _save_position.excluded.signal_id}
)
_watched = sa.select(_s.id).where(_s.entity_id.is_not(None)).limit(sa.literal_column("1"))
_first_signal = sa.select(sa.func.min(_s.after_signal)).where(_s.entity_id.is_not(None))
# disabled by its owner: no deliveries are created; blocked because of its receiver: they are queued
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
# every transaction locks subscriptions in the order of their ids
_locked = (
    sa.select(_s.id).where(_s.id.in_(bindparam("ids", expanding=True))).order_by(_s.id).with_for_update()
)
_locked_open = _locked.where(_open)


def is_behind(session: Session) -> bool:
    """Return whether there is a signal past the position. One index read."""
    return session.one(_behind) is not None


def read_position(session: Session) -> int | None:
    """Return the last signal whose deliveries were created; None before the first run."""
    row = session.one(_position)
    return row[0] if row else None


def save_position(session: Session, signal: int) -> None:
    session.execute(_save_position, {"name": _SIGNALS, "signal": signal})


def is_watched(session: Session) -> bool:
    """Return whether any subscription to a record exists."""
    return session.one(_watched) is not None


def first_watched_signal(session: Session) -> int | None:
    """Return the signal up to which no subscription matches; None without subscriptions."""
    row = session.one(_first_signal)
    return row[0] if row else None


def find_watchers(session: Session, numbers: Collection[int]) -> list[Watcher]:
    """Return the watchers of records with these numbers, of either entity, by id. One statement.

    Leaves out subscriptions disabled by their owners, and those of disabled accounts.
    """
    return [Watcher(*row) for row in session.all_in(_watchers, "numbers", sorted(numbers))]


def lock_subscriptions(session: Session, ids: Collection[int], *, disabled: bool = False) -> set[int]:
    """Lock subscriptions and return the ids of those that exist.

    Leaves out those disabled by their owners unless `disabled` is set. The lock lasts until the transaction ends.
    """
    return {row[0] for row in session.all_in(_locked if disabled else _locked_open, "ids", sorted(ids))}


def add_deliveries(session: Session, new: Sequence[NewDelivery]) -> None:
    """Insert deliveries in the order in which they are to be sent. One statement."""
    session.load(deliveries, new, NewDelivery._fields)

"""All SQL on opt-outs: who was shown data points of contacts, who is to be told, and the deliveries that tell."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import paid_units
from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.tables import deliveries, subscriptions
from firmograph.webhooks.types import State


class Reveal(NamedTuple):
    """A data point that an account paid for, and so was shown."""

    account_id: int
    number: int
    """Of the contact."""
    unit: str
    """`emails` or `phones`."""
    first_at: float
    paid_at: float
    """Later than the first time where it was paid again."""


class Lane(NamedTuple):
    """An opt-out subscription."""

    id: int
    token: str
    account_id: int
    partner: str
    """Empty for none."""
    told: int
    """0 where its owner disabled it; one that was disabled by itself queues."""


class New(NamedTuple):
    """A delivery to be made."""

    payload_id: str
    lane: Lane
    body: bytes
    """Sealed."""


_p, _s = paid_units.c, subscriptions.c
_opt_outs = _s.entity_id.is_(None)
_reveals = sa.select(_p.account_id, _p.record_id, _p.unit, _p.first_paid_at, _p.paid_at).where(
    # by account first, as the rows are sorted by it
    _p.account_id.in_(sa.select(_s.account_id).where(_opt_outs)),
    _p.entity == sa.literal_column(str(int(Entity.CONTACT))),
    _p.record_id.in_(bindparam("numbers", expanding=True)),
)
_told = sa.case((sa.or_(_s.active == 1, _s.blocked_at.is_not(None)), 1), else_=0)
# in the order of their ids, as everyone locks them
_lanes = (
    sa.select(_s.id, _s.token, _s.account_id, _s.partner, _told)
    .where(_opt_outs, _s.account_id.in_(bindparam("accounts", expanding=True)))
    .order_by(_s.id)
)
_NEW = ("payload_id", "account_id", "subscription_id", "state", "held", "body", "made_at")


def reveals(session: Session, numbers: Collection[int]) -> list[Reveal]:
    """Of accounts that have an opt-out subscription. One statement."""
    return [Reveal(*row) for row in session.all_in(_reveals, "numbers", sorted(numbers))]


def lanes(session: Session, account_ids: Collection[int]) -> list[Lane]:
    """The opt-out subscriptions of these accounts."""
    return [Lane(*row) for row in session.all_in(_lanes, "accounts", sorted(account_ids))]


def add(session: Session, new: Sequence[New], at: float) -> None:
    """Queue those that are not held; they cost nothing."""
    held = delivery_store.held(session, sorted(one.payload_id for one in new))
    new = [one for one in new if one.payload_id not in held]
    delivery_store.queue(session, Counter(one.lane.id for one in new))
    rows = [
        (one.payload_id, one.lane.account_id, one.lane.id, int(State.WAITING), 0, one.body, at) for one in new
    ]
    session.load(deliveries, rows, _NEW)

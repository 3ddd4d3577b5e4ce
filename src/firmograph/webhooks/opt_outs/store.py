"""SQL on opt-outs: reveals, subscriptions and deliveries."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.billing.tables import paid_units
from firmograph.billing.types import UnitKind
from firmograph.database.connection import Session
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.tables import deliveries, subscriptions
from firmograph.webhooks.types import State


class Reveal(NamedTuple):
    """Data point that an account paid for and was shown."""

    account_id: int
    number: int
    """Contact number."""
    unit: str
    """`emails` or `phones`."""
    first_at: float
    paid_at: float
    """Later than `first_at` if it was paid for again."""


class OptOutSubscription(NamedTuple):
    """Subscription to opt-outs."""

    id: int
    token: str
    account_id: int
    partner: str
    """Empty for none."""
    accepts: int
    """0 if its owner disabled it; one disabled by failures still queues."""


class NewOptOut(NamedTuple):
    """Delivery to create."""

    payload_id: str
    subscription: OptOutSubscription
    body: bytes
    """Encrypted."""


_p, _s = paid_units.c, subscriptions.c
_opt_outs = _s.entity_id.is_(None)
_find_reveals = sa.select(_p.account_id, _p.record_id, _p.unit, _p.first_paid_at, _p.paid_at).where(
    # account first, as the primary key begins with it
    _p.account_id.in_(sa.select(_s.account_id).where(_opt_outs)),
    _p.kind == sa.literal_column(str(int(UnitKind.CONTACT_DATA))),
    _p.record_id.in_(bindparam("numbers", expanding=True)),
)
_accepts = sa.case((sa.or_(_s.active == 1, _s.blocked_at.is_not(None)), 1), else_=0)
# every transaction locks subscriptions in the order of their ids
_find_subscriptions = (
    sa.select(_s.id, _s.token, _s.account_id, _s.partner, _accepts)
    .where(_opt_outs, _s.account_id.in_(bindparam("accounts", expanding=True)))
    .order_by(_s.id)
)
_NEW = ("payload_id", "account_id", "subscription_id", "state", "held", "body", "made_at")


def find_reveals(session: Session, numbers: Collection[int]) -> list[Reveal]:
    """Return reveals of these contacts to accounts with an opt-out subscription. One statement."""
    rows = session.all_in(_find_reveals, "numbers", sorted(numbers))
    return [Reveal(account, number, unit.decode(), *times) for account, number, unit, *times in rows]


def find_subscriptions(session: Session, account_ids: Collection[int]) -> list[OptOutSubscription]:
    """Return the opt-out subscriptions of these accounts."""
    return [
        OptOutSubscription(*row)
        for row in session.all_in(_find_subscriptions, "accounts", sorted(account_ids))
    ]


def add(session: Session, new: Sequence[NewOptOut], at: float) -> None:
    """Queue the deliveries that do not exist yet; they are free."""
    existing = delivery_store.existing(session, sorted(one.payload_id for one in new))
    new = [one for one in new if one.payload_id not in existing]
    delivery_store.add_queued(session, Counter(one.subscription.id for one in new))
    rows = [
        (
            one.payload_id,
            one.subscription.account_id,
            one.subscription.id,
            int(State.WAITING),
            0,
            one.body,
            at,
        )
        for one in new
    ]
    session.load(deliveries, rows, _NEW)

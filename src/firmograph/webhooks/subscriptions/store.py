"""All SQL on subscriptions as their owners see them; as lanes of deliveries they are `queue_store.py`'s.

They are asked for by account, so nobody comes by another's. The count of deliveries and the lease are never written
here: a subscription may be changed while one of its deliveries is on its way.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.webhooks.deliveries import scheduled_store
from firmograph.webhooks.tables import subscriptions


class Subscription(NamedTuple):
    """All that is held of one."""

    id: int
    token: str
    """The public id."""
    account_id: int
    entity: int
    entity_id: int | None
    """None for opt-outs."""
    named: str
    types: str
    """Joined by commas."""
    partner: str
    name: str | None
    url: str
    origin: str
    active: int
    block_reason: str | None
    blocked_at: float | None
    disabled_at: float | None
    """Since when it has been disabled, where its owner disabled it."""
    created_at: float
    updated_at: float
    after_signal: int
    queued: int
    attempts: int
    needs: int
    due_at: float
    lease_until: float
    fence: int


class New(NamedTuple):
    """What one is made with."""

    token: str
    account_id: int
    entity: int
    entity_id: int | None
    named: str
    types: str
    partner: str
    name: str | None
    url: str
    origin: str
    created_at: float
    after_signal: int


class Changed(NamedTuple):
    """What its owner may change of one."""

    types: str
    name: str | None
    url: str
    origin: str
    updated_at: float


_c = subscriptions.c
_ids = _c.id.in_(bindparam("ids", expanding=True))
_mine = _c.account_id == bindparam("account")
_all = sa.select(subscriptions)
_of_token = _all.where(_mine, _c.token == bindparam("token"))
# in the order of their ids, as everyone locks them
_locked = (
    _all.where(_mine, _c.token.in_(bindparam("tokens", expanding=True))).order_by(_c.id).with_for_update()
)
_page = (
    _all.where(_mine)
    .order_by(_c.id.desc())
    .limit(bindparam("limit", type_=sa.Integer))
    .offset(bindparam("offset", type_=sa.Integer))
)
_count = sa.select(sa.func.count()).where(_mine)
_subscribed = sa.select(_c.entity_id).where(
    _mine,
    _c.entity == bindparam("entity", type_=sa.SmallInteger),
    _c.entity_id.in_(bindparam("numbers", expanding=True)),
)
_of_partner = sa.select(_c.id).where(_mine, _c.entity_id.is_(None), _c.partner == bindparam("partner"))
_ADDED = Subscription._fields[1:]
_UNUSED: dict[str, object] = {
    "active": 1,
    "block_reason": None,
    "blocked_at": None,
    "disabled_at": None,
    "queued": 0,
    "attempts": 0,
    "needs": 0,
    "lease_until": 0.0,
    "fence": 0,
}
_change = (
    sa.update(subscriptions)
    .where(_c.id == bindparam("which"))
    .values({name: bindparam(name) for name in Changed._fields})
)
_revive = (
    sa.update(subscriptions)
    .where(_ids)
    .values(
        active=1,
        block_reason=None,
        blocked_at=None,
        disabled_at=None,
        attempts=0,
        needs=0,
        due_at=bindparam("at"),
        updated_at=bindparam("at"),
    )
)
_retry = sa.update(subscriptions).where(_ids).values(attempts=0, due_at=bindparam("at"))
_disable = (
    sa.update(subscriptions)
    .where(_ids)
    .values(
        active=0,
        block_reason=None,
        blocked_at=None,
        # the first time counts, by which what waits is ended one day (`ageing.py`)
        disabled_at=sa.func.coalesce(_c.disabled_at, _c.blocked_at, bindparam("at", type_=sa.Double)),
        updated_at=bindparam("at"),
    )
)
_delete = sa.delete(subscriptions).where(_ids)


def of_token(session: Session, account_id: int, token: str) -> Subscription | None:
    row = session.one(_of_token, {"account": account_id, "token": token})
    return Subscription(*row) if row else None


def locked(session: Session, account_id: int, tokens: Collection[str]) -> list[Subscription]:
    """Those that there are, by id; until the transaction ends no delivery is added to them."""
    rows = session.all_in(_locked, "tokens", sorted(tokens), account=account_id)
    return [Subscription(*row) for row in rows]


def page(session: Session, account_id: int, limit: int, offset: int) -> list[Subscription]:
    """The newest first."""
    rows = session.all(_page, {"account": account_id, "limit": limit, "offset": offset})
    return [Subscription(*row) for row in rows]


def count(session: Session, account_id: int) -> int:
    row = session.one(_count, {"account": account_id})
    return row[0] if row else 0


def subscribed(session: Session, account_id: int, entity: int, numbers: Collection[int]) -> set[int]:
    """Those of the records that the account has subscribed to."""
    rows = session.all_in(_subscribed, "numbers", sorted(numbers), account=account_id, entity=entity)
    return {row[0] for row in rows}


def of_partner(session: Session, account_id: int, partner: str) -> bool:
    """Whether the account has an opt-out subscription for this partner; empty for none in particular."""
    return session.one(_of_partner, {"account": account_id, "partner": partner}) is not None


def add(session: Session, new: Sequence[New]) -> None:
    """One statement; the rest of each is that of an active one without deliveries."""
    rows = [_row(one) for one in new]
    session.load(subscriptions, rows, _ADDED)


def _row(new: New) -> tuple[object, ...]:
    values = _UNUSED | new._asdict() | {"updated_at": new.created_at, "due_at": new.created_at}
    return tuple(values[name] for name in _ADDED)


def change(session: Session, id: int, changed: Changed) -> None:
    session.execute(_change, {"which": id, **changed._asdict()})


def revive(session: Session, ids: Collection[int], at: float) -> None:
    """Active, not blocked, its first delivery due now with all its retries (specification 3.1)."""
    session.run_in(_revive, "ids", sorted(ids), at=at)


def retry(session: Session, ids: Collection[int], at: float) -> None:
    """The first delivery is due now, with all its retries."""
    session.run_in(_retry, "ids", sorted(ids), at=at)


def disable(session: Session, ids: Collection[int], at: float) -> None:
    """As its owner does it: not blocked, and no deliveries are made for it."""
    session.run_in(_disable, "ids", sorted(ids), at=at)


def delete(session: Session, ids: Collection[int]) -> None:
    """Delete some after their deliveries were ended (`ending.py`), with those that lie aside for days to come."""
    scheduled_store.drop_of_subscriptions(session, ids)
    session.run_in(_delete, "ids", sorted(ids))

"""All SQL on the signals that accounts have paid for. Nothing here can be asked without saying whose payments."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.security.record_ids import Entity
from firmograph.signals.tables import paid_signals, signals
from firmograph.signals.types import NUMBER_OF


class Held(NamedTuple):
    """A signal without its event, and when the account paid for it."""

    id: int
    identity: bytes
    number: int
    """Of the record that it is about."""
    type: int
    """`types.NUMBER_OF`."""
    day: str
    detail: str
    paid_at: float | None


_s = signals.c
_asked = (
    _s.entity == sa.bindparam("entity", type_=sa.SmallInteger),
    column_in(_s.entity_id, "numbers"),
    column_in(_s.type, "types"),
    _s.day >= sa.bindparam("since"),
    _s.day <= sa.bindparam("until"),
    _s.id <= sa.bindparam("last"),
)
_shown = (_s.id, _s.identity, _s.entity_id, _s.type, _s.day, _s.detail)
_newest_first = (_s.day.desc(), _s.identity)


def _paid(identity: sa.ColumnElement[bytes]) -> sa.ColumnElement[bool]:
    of_account = paid_signals.c.account_id == sa.bindparam("account")
    return sa.and_(of_account, paid_signals.c.identity == identity)


_MANY = 10_000
"""Signals of one call that are read whole; of more, only the newest of each record and type, which takes longer."""
_of_records = (
    sa.select(*_shown, paid_signals.c.paid_at)
    .select_from(signals.outerjoin(paid_signals, _paid(_s.identity)))
    .where(*_asked)
    .order_by(_s.entity_id, _s.type, *_newest_first)
    .limit(_MANY + 1)
)
_place = sa.func.row_number().over(partition_by=(_s.entity_id, _s.type), order_by=_newest_first)
_ranked = sa.select(*_shown, _place.label("place")).where(*_asked).subquery("ranked")
_newest_of_records = (
    sa.select(*(_ranked.c[column.name] for column in _shown), paid_signals.c.paid_at)
    .select_from(_ranked.outerjoin(paid_signals, _paid(_ranked.c.identity)))
    .where(_ranked.c.place <= sa.bindparam("most", type_=sa.Integer))
    .order_by(_ranked.c.entity_id, _ranked.c.type, _ranked.c.place)
)
_paid_at = sa.select(paid_signals.c.identity, paid_signals.c.paid_at).where(
    paid_signals.c.account_id == sa.bindparam("account"),
    paid_signals.c.identity.in_(sa.bindparam("identities", expanding=True)),
)
_put = insert(paid_signals).values(
    account_id=sa.bindparam("account_id"),
    identity=sa.bindparam("identity"),
    paid_at=sa.bindparam("paid_at"),
    request_id=sa.bindparam("request_id"),
)
_put_paid = _put.on_conflict_do_update(
    index_elements=["account_id", "identity"],
    set_={"paid_at": _put.excluded.paid_at, "request_id": _put.excluded.request_id},
)

EVERY = 2**53
"""More than there ever are."""
_MOST = 2**31 - 1


def of_records(
    session: Session,
    account_id: int,
    entity: Entity,
    numbers: Collection[int],
    types: Sequence[str],
    since: str,
    until: str,
    *,
    most: int = EVERY,
    last: int = EVERY,
) -> list[Held]:
    """The signals of some records, by record and type, newest first, then by `signalId`.

    Dated from `since` to `until`, none detected after the one with id `last`. Where there are very many, at most
    `most` of each record and type. `paid_at` is that of this account alone. One statement, or two of very many.
    """
    asked = {
        "account": account_id,
        "entity": int(entity),
        "numbers": sorted(numbers),
        "types": [NUMBER_OF[type] for type in types],
        "since": since,
        "until": until,
        "last": last,
    }
    rows = session.all(_of_records, asked)
    if len(rows) > _MANY:
        rows = session.all(_newest_of_records, asked | {"most": min(most, _MOST)})
    return list(map(Held._make, rows))


def paid_at(session: Session, account_id: int, identities: Collection[bytes]) -> dict[bytes, float]:
    """When an account last paid for those of the signals that it has paid for. One statement."""
    return dict(session.all_in(_paid_at, "identities", sorted(identities), account=account_id))


def put_paid(
    session: Session, account_id: int, identities: Iterable[bytes], at: float, request_id: str
) -> None:
    """Note signals as paid by an account; one that was paid before is renewed. One statement."""
    put(session, [(account_id, identity, at, request_id) for identity in sorted(identities)])


def put(session: Session, paid: Iterable[tuple[int, bytes, float, str]]) -> None:
    """The same for any accounts and requests, as (account, identity, paid at, request). One statement."""
    session.many(_put_paid, paid)

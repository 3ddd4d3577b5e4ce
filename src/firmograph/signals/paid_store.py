"""SQL of signals with an account's payments for them."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.billing.paid_units import signal_paid_at
from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession
from firmograph.security.record_ids import Entity
from firmograph.signals.tables import signals
from firmograph.signals.types import NUMBER_OF


class AccountSignal(NamedTuple):
    """Signal without its event, with the time of an account's payment."""

    id: int
    identity: bytes
    number: int
    """Number of its record."""
    type: int
    """`types.NUMBER_OF`."""
    day: str
    detail: str
    paid_at: float | None


_s = signals.c
_conditions = (
    _s.entity == sa.bindparam("entity", type_=sa.SmallInteger),
    column_in(_s.entity_id, "numbers"),
    column_in(_s.type, "types"),
    _s.day >= sa.bindparam("since"),
    _s.day <= sa.bindparam("until"),
    _s.id <= sa.bindparam("last"),
)
_columns = (_s.id, _s.identity, _s.entity_id, _s.type, _s.day, _s.detail)
_newest_first = (_s.day.desc(), _s.identity)


_account = sa.bindparam("account", type_=sa.BigInteger)

_MANY = 10_000
"""Signals of one call up to which all are read; beyond, a slower query reads the newest of each record and type."""
_of_records = (
    sa.select(*_columns, signal_paid_at(_account, _s.identity))
    .where(*_conditions)
    .order_by(_s.entity_id, _s.type, *_newest_first)
    .limit(_MANY + 1)
)
_rank = sa.func.row_number().over(partition_by=(_s.entity_id, _s.type), order_by=_newest_first)
_ranked = sa.select(*_columns, _rank.label("rank")).where(*_conditions).subquery("ranked")
_newest_of_records = (
    sa.select(*(_ranked.c[column.name] for column in _columns), signal_paid_at(_account, _ranked.c.identity))
    .where(_ranked.c.rank <= sa.bindparam("most", type_=sa.Integer))
    .order_by(_ranked.c.entity_id, _ranked.c.type, _ranked.c.rank)
)
_paid_at = sa.select(_s.identity, signal_paid_at(_account, _s.identity)).where(column_in(_s.id, "ids"))

NO_LIMIT = 2**53
"""Greater than any id and any number of signals."""
_MOST = 2**31 - 1


def signals_of_records(
    session: AccountSession,
    entity: Entity,
    numbers: Collection[int],
    types: Sequence[str],
    since: str,
    until: str,
    *,
    most: int = NO_LIMIT,
    last: int = NO_LIMIT,
) -> list[AccountSignal]:
    """Return the signals of records, by record and type, newest first, then by `signalId`.

    Dated from `since` to `until`, with ids up to `last`. Beyond 10,000 signals at most `most` of each record and type.
    `paid_at` is the time of this account's payment. One statement, two beyond 10,000 signals.
    """
    params = {
        "entity": int(entity),
        "numbers": sorted(numbers),
        "types": [NUMBER_OF[type] for type in types],
        "since": since,
        "until": until,
        "last": last,
    }
    rows = session.all(_of_records, params)
    if len(rows) > _MANY:
        rows = session.all(_newest_of_records, params | {"most": min(most, _MOST)})
    return list(map(AccountSignal._make, rows))


def paid_at(session: AccountSession, ids: Collection[int]) -> dict[bytes, float]:
    """Return when the account last paid for each of these signals that it has paid for, by identity. One statement."""
    rows = session.all_in(_paid_at, "ids", sorted(ids))
    return {identity: at for identity, at in rows if at is not None}

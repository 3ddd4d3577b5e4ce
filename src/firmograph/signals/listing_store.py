"""Signals of all records, newest first, for operators."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.signals.tables import signals
from firmograph.signals.types import NAME_OF, NUMBER_OF, Signal

NO_LIMIT = 2**31 - 1
"""Upper bound of a LIMIT."""
_BATCH = 500


class ListingFilter(NamedTuple):
    """Conditions of listed signals."""

    until: str
    """The last day."""
    since: str = ""
    """The first day."""
    types: Sequence[str] = tuple(NUMBER_OF)
    record: tuple[Entity, int] | None = None
    """Only signals of this record."""


_newest = (
    sa.select(*signals.c)
    .where(
        signals.c.type.in_(sa.bindparam("types", expanding=True)),
        signals.c.day >= sa.bindparam("since"),
        signals.c.day <= sa.bindparam("until"),
    )
    .order_by(signals.c.day.desc(), signals.c.id.desc())
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_newest_of = _newest.where(
    signals.c.entity == sa.bindparam("entity", type_=sa.SmallInteger),
    signals.c.entity_id == sa.bindparam("number", type_=sa.BigInteger),
)


def iterate_newest(session: Session, filter: ListingFilter, most: int = NO_LIMIT) -> Iterator[list[Signal]]:
    """Yield signals in batches, newest day first, and within a day the last detected first."""
    types = [NUMBER_OF[type] for type in filter.types]
    params = {"types": types, "since": filter.since, "until": filter.until, "most": most}
    if filter.record is None:
        rows = session.all(_newest, params)
    else:
        entity, number = filter.record
        rows = session.all(_newest_of, params | {"entity": int(entity), "number": number})
    for start in range(0, len(rows), _BATCH):
        yield [Signal._make((*row[:4], NAME_OF[row[4]], *row[5:])) for row in rows[start : start + _BATCH]]

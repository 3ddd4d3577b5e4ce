"""Signals of all records, newest first, for whoever runs the installation."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.signals.store import Signal
from firmograph.signals.tables import signals
from firmograph.signals.types import NAME_OF, NUMBER_OF

EVERY = 2**31 - 1
"""As many as there are."""
_SOME = 500


class Asked(NamedTuple):
    """Which signals are listed."""

    until: str
    """The last day."""
    since: str = ""
    """The first day."""
    types: Sequence[str] = tuple(NUMBER_OF)
    record: tuple[Entity, int] | None = None
    """Of this record only."""


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


def newest(session: Session, asked: Asked, most: int = EVERY) -> Iterator[list[Signal]]:
    """Some at a time: newest day first, and of one day what was detected last."""
    types = [NUMBER_OF[type] for type in asked.types]
    params = {"types": types, "since": asked.since, "until": asked.until, "most": most}
    if asked.record is None:
        rows = session.all(_newest, params)
    else:
        entity, number = asked.record
        rows = session.all(_newest_of, params | {"entity": int(entity), "number": number})
    for start in range(0, len(rows), _SOME):
        yield [Signal._make((*row[:4], NAME_OF[row[4]], *row[5:])) for row in rows[start : start + _SOME]]

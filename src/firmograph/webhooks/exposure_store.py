"""All SQL on what accounts were shown of contacts on behalf of which of their partners (decisions G, Opt-outs)."""

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.webhooks.tables import partner_reveals

_note = (
    insert(partner_reveals)
    .values({column.name: sa.bindparam(column.name) for column in partner_reveals.c})
    .on_conflict_do_nothing()
)
_numbers = partner_reveals.c.record_id.in_(sa.bindparam("numbers", expanding=True))
_of = sa.select(*partner_reveals.c).where(_numbers)
_forget = sa.delete(partner_reveals).where(_numbers)


class Exposure(NamedTuple):
    """A data point that an account was shown on behalf of one of its partners."""

    account_id: int
    number: int
    """Of the contact."""
    partner: str
    unit: str
    """`emails` or `phones`."""
    first_at: float


def note(session: Session, exposures: Collection[Exposure]) -> None:
    """What was noted before keeps its first time. One statement."""
    session.many(_note, sorted(exposures))


def of(session: Session, numbers: Collection[int]) -> list[Exposure]:
    """Whoever's, of these contacts."""
    return [Exposure(*row) for row in session.all_in(_of, "numbers", sorted(numbers))]


def forget(session: Session, numbers: Collection[int]) -> None:
    session.run_in(_forget, "numbers", sorted(numbers))

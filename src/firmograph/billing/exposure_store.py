"""SQL on contact data shown to accounts on behalf of partners (docs/reference/webhooks.md#opt-outs)."""

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from firmograph.billing.tables import partner_reveals
from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert

_add = (
    insert(partner_reveals)
    .values(
        account_id=sa.bindparam("account"),
        **{one.name: sa.bindparam(one.name) for one in partner_reveals.c if one.name != "account_id"},
    )
    .on_conflict_do_nothing()
)
_numbers = partner_reveals.c.record_id.in_(sa.bindparam("numbers", expanding=True))
_find = sa.select(*partner_reveals.c).where(_numbers)
_delete = sa.delete(partner_reveals).where(_numbers)


class Exposure(NamedTuple):
    """Data point shown to an account on behalf of a partner."""

    account_id: int
    number: int
    """Contact number."""
    partner: str
    unit: str
    """`emails` or `phones`."""
    first_at: float


def add(session: AccountSession, exposures: Collection[Exposure]) -> None:
    """Insert exposures of the account; existing ones keep their first time. One statement."""
    session.many(_add, [exposure[1:] for exposure in sorted(exposures)])


def find(session: Session, numbers: Collection[int]) -> list[Exposure]:
    """Return all accounts' exposures of these contacts."""
    return [Exposure(*row) for row in session.all_in(_find, "numbers", sorted(numbers))]


def delete(session: Session, numbers: Collection[int]) -> None:
    session.run_in(_delete, "numbers", sorted(numbers))

"""SQL statements on pushes of usage: which one sends, and how far each receiver has come."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import usage_push_positions, usage_pushes
from firmograph.database.connection import Session
from firmograph.database.leases import Leases
from firmograph.database.upsert import insert

leases: Leases[str] = Leases(usage_pushes)

_ADD = (
    insert(usage_pushes)
    .values(name=bindparam("name"), due_at=0.0, lease_until=0.0, fence=0)
    .on_conflict_do_nothing()
)
_POSITIONS = sa.select(usage_push_positions.c.account_id, usage_push_positions.c.position).where(
    usage_push_positions.c.name == bindparam("name")
)
_position = insert(usage_push_positions).values(
    name=bindparam("name"), account_id=bindparam("account"), position=bindparam("position")
)
_SAVE = _position.on_conflict_do_update(
    index_elements=["name", "account_id"], set_={"position": _position.excluded.position}
)


def insert_push(session: Session, name: str) -> None:
    """Insert a push unless there is one of that name."""
    session.execute(_ADD, {"name": name})


def select_positions(session: Session, name: str) -> dict[int, int]:
    """Return the last ledger row that a receiver has taken, by account."""
    return {row[0]: row[1] for row in session.all(_POSITIONS, {"name": name})}


def save_positions(session: Session, name: str, positions: Mapping[int, int]) -> None:
    """Save the last ledger rows that a receiver has taken, by account."""
    for account, position in sorted(positions.items()):
        session.execute(_SAVE, {"name": name, "account": account, "position": position})

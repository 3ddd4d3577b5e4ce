"""Revision of the do-not-call registry and of deletion lists, by which a restore notices a change."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.directory.tables import counters

_NAME: Final = "privacy_lists"

_read = sa.select(counters.c.value).where(counters.c.name == bindparam("name"))
_raise = insert(counters).values(name=bindparam("name"), value=1)
_raise = _raise.on_conflict_do_update(
    index_elements=[counters.c.name], set_={"value": counters.c.value + sa.literal_column("1")}
)


def read_revision(session: Session) -> int:
    row = session.one(_read, {"name": _NAME})
    return int(row[0]) if row else 0


def raise_revision(session: Session) -> None:
    """Note a change; part of its transaction."""
    session.execute(_raise, {"name": _NAME})

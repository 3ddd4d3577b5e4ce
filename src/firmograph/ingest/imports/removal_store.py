"""All SQL of removals of sources. Every function runs in the caller's transaction."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from pyroaring import BitMap
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.ingest.imports.tables import import_former_rows, source_removals
from firmograph.security.record_ids import Entity

_REMOVING = "removing"
_PAGE = 20_000
"""Records read at a time."""

_all = sa.select(*source_removals.c)
_one = _all.where(source_removals.c.source == bindparam("source"))
_new = insert(source_removals).values({column.name: bindparam(column.name) for column in source_removals.c})
_put = _new.on_conflict_do_update(
    index_elements=list(source_removals.primary_key),
    set_={column.name: _new.excluded[column.name] for column in source_removals.c if not column.primary_key},
)
_set_counts = (
    sa.update(source_removals)
    .where(source_removals.c.source == bindparam("number"))
    .values(counts=bindparam("new_counts"))
)
_drop = sa.delete(source_removals).where(source_removals.c.source == bindparam("source"))

_former = import_former_rows.c
_former_of_source = (
    sa.select(_former.record_id)
    .where(
        _former.entity == bindparam("entity"),
        _former.source == bindparam("source"),
        _former.record_id > bindparam("after", type_=sa.BigInteger),
    )
    .distinct()
    .order_by(_former.record_id)
    .limit(bindparam("most", type_=sa.Integer))
)
_drop_former = sa.delete(import_former_rows).where(
    _former.entity == bindparam("entity"),
    column_in(_former.record_id, "records"),
    _former.source == bindparam("source"),
)


class StoredRemoval(NamedTuple):
    """A removal of a source, begun or ended."""

    source: int
    name: str
    state: str
    """`removing` or `removed`."""
    began_at: float
    ended_at: float | None
    companies: bytes | None
    """Serialised bitmap of the companies that its rows were of."""
    named: bytes | None
    """Of those that they named."""
    counts: str
    """JSON of `RemovalProgress`."""

    @property
    def is_open(self) -> bool:
        return self.state == _REMOVING


def select_removals(session: Session) -> list[StoredRemoval]:
    return [StoredRemoval(*row) for row in session.all(_all)]


def select_removal(session: Session, source: int) -> StoredRemoval | None:
    row = session.one(_one, {"source": source})
    return StoredRemoval(*row) if row else None


def put_removal(session: Session, removal: StoredRemoval) -> None:
    session.many(_put, [removal])


def set_counts(session: Session, source: int, counts: str) -> None:
    session.execute(_set_counts, {"number": source, "new_counts": counts})


def delete_removal(session: Session, source: int) -> None:
    session.execute(_drop, {"source": source})


def records_with_former_rows(session: Session, entity: Entity, source: int) -> BitMap:
    """Return the records of which an import replaced a row of a source."""
    found, after = BitMap(), 0
    params = {"entity": int(entity), "source": source, "most": _PAGE}
    while page := session.all(_former_of_source, {**params, "after": after}):
        found.update(row[0] for row in page)
        after = page[-1][0]
    return found


def drop_former_rows(session: Session, entity: Entity, records: Sequence[int], source: int) -> None:
    """Delete the former rows of a source in records."""
    session.run_in(_drop_former, "records", records, entity=int(entity), source=source)

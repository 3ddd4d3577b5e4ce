"""All SQL of removals of sources, and of what a source has. Every function runs in the caller's transaction."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from pyroaring import BitMap
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.directory.tables import company_rows, contact_rows, sources
from firmograph.ingest.imports.tables import import_former_rows, imports, source_removals
from firmograph.security.record_ids import Entity

_REMOVING = "removing"
_PAGE = 20_000
"""Rows read at a time."""

_columns = [
    source_removals.c[name] for name in ("source", "state", "began_at", "ended_at", "companies", "counts")
]
_all = sa.select(sources.c.name, *_columns).join(sources, sources.c.id == source_removals.c.source)
_one = _all.where(source_removals.c.source == bindparam("source"))
_new = insert(source_removals).values({column.name: bindparam(column.name) for column in source_removals.c})
_put = _new.on_conflict_do_update(
    index_elements=list(source_removals.primary_key),
    set_={column.name: _new.excluded[column.name] for column in source_removals.c if not column.primary_key},
)
_drop = sa.delete(source_removals).where(source_removals.c.source == bindparam("source"))

_rows = {Entity.CONTACT: contact_rows, Entity.COMPANY: company_rows}
_number = {Entity.CONTACT: contact_rows.c.contact_id, Entity.COMPANY: company_rows.c.company_id}
_of_source = {
    entity: sa.select(_number[entity], table.c.employer_id, table.c.history)
    .where(table.c.source == bindparam("source"), _number[entity] > bindparam("after", type_=sa.BigInteger))
    .order_by(_number[entity])
    .limit(bindparam("most", type_=sa.Integer))
    for entity, table in _rows.items()
}
_counts = {
    entity: sa.select(table.c.source, sa.func.count(), sa.func.count(sa.distinct(_number[entity]))).group_by(
        table.c.source
    )
    for entity, table in _rows.items()
}
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
_former_of_import = (
    sa.select(_former.entity, _former.record_id)
    .where(_former.import_id == bindparam("number", type_=sa.BigInteger))
    .distinct()
    .limit(bindparam("most", type_=sa.Integer))
)
_spans = sa.select(
    imports.c.source, sa.func.count(), sa.func.min(imports.c.started_at), sa.func.max(imports.c.started_at)
).group_by(imports.c.source)


class StoredRemoval(NamedTuple):
    """A removal of a source, begun or ended."""

    name: str
    source: int
    state: str
    """`removing` or `removed`."""
    began_at: float
    ended_at: float | None
    companies: bytes | None
    """Serialised bitmap of the companies that its rows were of or named."""
    counts: str
    """JSON."""

    @property
    def is_open(self) -> bool:
        return self.state == _REMOVING


class SourceRow(NamedTuple):
    """A row of a source without its values."""

    record: int
    employer: int | None
    history: bytes | None


class SourceSize(NamedTuple):
    rows: int
    records: int


class ImportSpan(NamedTuple):
    """The imports of a source."""

    number: int
    first: float
    last: float


def select_removals(session: Session) -> list[StoredRemoval]:
    return [StoredRemoval(*row) for row in session.all(_all)]


def select_removal(session: Session, source: int) -> StoredRemoval | None:
    row = session.one(_one, {"source": source})
    return StoredRemoval(*row) if row else None


def put_removal(session: Session, removal: StoredRemoval) -> None:
    session.many(_put, [removal[1:]])


def delete_removal(session: Session, source: int) -> None:
    session.execute(_drop, {"source": source})


def iterate_rows(session: Session, entity: Entity, source: int) -> Iterator[SourceRow]:
    """Yield the rows of a source, in the order of their records."""
    after = 0
    while True:
        page = [
            SourceRow(*row)
            for row in session.all(_of_source[entity], {"source": source, "after": after, "most": _PAGE})
        ]
        if len(page) < _PAGE:
            yield from page
            return
        last = page[-1].record
        # a record may go on with the next page
        whole = [row for row in page if row.record < last]
        yield from whole
        after = whole[-1].record


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


def records_with_former_rows_of(session: Session, number: int, most: int) -> list[tuple[Entity, int]]:
    """Return the first records of which an import keeps former rows."""
    return [
        (Entity(row[0]), row[1]) for row in session.all(_former_of_import, {"number": number, "most": most})
    ]


def source_sizes(session: Session, entity: Entity) -> dict[int, SourceSize]:
    """Return the rows and records of each source. Reads all rows."""
    return {row[0]: SourceSize(row[1], row[2]) for row in session.all(_counts[entity])}


def import_spans(session: Session) -> dict[str, ImportSpan]:
    """Return the imports of each source by its name."""
    return {row[0]: ImportSpan(*row[1:]) for row in session.all(_spans)}

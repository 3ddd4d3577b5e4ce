"""All SQL of imports. Every function runs in the caller's transaction."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.ingest.imports.tables import import_former_rows, import_records, imports
from firmograph.ingest.imports.types import FormerRow, RecordRole, StoredImport
from firmograph.ingest.merging.source_history import Row, RowSlot
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    # loaded at its first use, as commands load this module for the declarations of personal data
    from pyroaring import BitMap

_decode_unread = msgspec.json.Decoder(dict[str, int]).decode
_PART_OF_ALL = 0
"""Part that the others become at the end of an import."""

_columns = [imports.c[name] for name in StoredImport._fields]
_all = sa.select(*_columns).order_by(imports.c.id)
_one = sa.select(*_columns).where(imports.c.id == bindparam("number"))
_of_source = _all.where(imports.c.source == bindparam("source"))
_new = (
    sa.insert(imports)
    .values({name: bindparam(name) for name in StoredImport._fields if name != "id"})
    .returning(imports.c.id)
)
_update = (
    sa.update(imports)
    .where(imports.c.id == bindparam("number"))
    .values(
        {name: bindparam(name) for name in ("state", "alive_until", "ended_at", "counts", "undo", "kept")}
    )
)

_put_unread = sa.update(imports).where(imports.c.id == bindparam("number")).values(unread=bindparam("unread"))
_unread = sa.select(imports.c.id, imports.c.unread).where(imports.c.unread.is_not(None))

_next_part = sa.select(sa.func.coalesce(sa.func.max(import_records.c.part), _PART_OF_ALL) + 1).where(
    import_records.c.import_id == bindparam("number")
)
_parts = (
    sa.select(import_records.c.part, import_records.c.entity, import_records.c.role, import_records.c.numbers)
    .where(import_records.c.import_id == bindparam("number"))
    .order_by(import_records.c.part)
)
_opt_out_marks = (
    sa.select(import_records.c.import_id, import_records.c.numbers)
    .where(import_records.c.entity == int(Entity.CONTACT), import_records.c.role == int(RecordRole.OPTED_OUT))
    .order_by(import_records.c.import_id)
)
_drop_parts = sa.delete(import_records).where(
    import_records.c.import_id == bindparam("number"), import_records.c.part <= bindparam("last")
)

_former = import_former_rows.c
_new_former = insert(import_former_rows).values({column.name: bindparam(column.name) for column in _former})
_add_former = _new_former.on_conflict_do_nothing()
_put_former = _new_former.on_conflict_do_update(
    index_elements=list(import_former_rows.primary_key),
    set_={column.name: _new_former.excluded[column.name] for column in _former if not column.primary_key},
)
_former_of = sa.select(*_former).where(
    _former.entity == bindparam("entity"), column_in(_former.record_id, "records")
)
_drop_former = sa.delete(import_former_rows).where(
    _former.entity == bindparam("e"),
    _former.record_id == bindparam("r"),
    _former.import_id == bindparam("i"),
)
_move_former = (
    sa.update(import_former_rows)
    .values(record_id=bindparam("new"))
    .where(
        _former.entity == bindparam("e"),
        _former.record_id == bindparam("r"),
        _former.source == bindparam("s"),
        _former.source_id == bindparam("i"),
    )
)
_forget_records = sa.delete(import_former_rows).where(
    _former.entity == bindparam("entity"), column_in(_former.record_id, "records")
)
_old = (
    sa.select(*_columns)
    .where(
        imports.c.kept == sa.literal_column("1"),
        imports.c.state != sa.literal_column("'undoing'"),
        sa.func.coalesce(imports.c.ended_at, imports.c.alive_until) < bindparam("before"),
    )
    .order_by(imports.c.id)
    .limit(1)
)
_some_of = (
    sa.select(*import_former_rows.primary_key)
    .where(_former.import_id == bindparam("number"))
    .limit(bindparam("most"))
)
_drop_one = sa.delete(import_former_rows).where(
    *(column == bindparam(f"of_{column.name}") for column in import_former_rows.primary_key)
)


def insert_import(session: Session, new: StoredImport) -> int:
    """Insert an import, whose id is disregarded, and return its number."""
    values = new._asdict()
    del values["id"]
    (row,) = session.all(_new, values)
    return int(row[0])


def select_import(session: Session, number: int) -> StoredImport | None:
    row = session.one(_one, {"number": number})
    return StoredImport(*row) if row else None


def select_imports(session: Session, source: str | None = None) -> list[StoredImport]:
    """Return all imports, or those of a source, oldest first."""
    rows = session.all(_all) if source is None else session.all(_of_source, {"source": source})
    return [StoredImport(*row) for row in rows]


def update_import(session: Session, changed: StoredImport) -> None:
    """Write what may change of an import."""
    session.execute(
        _update,
        {
            "number": changed.id,
            "state": changed.state,
            "alive_until": changed.alive_until,
            "ended_at": changed.ended_at,
            "counts": changed.counts,
            "undo": changed.undo,
            "kept": changed.kept,
        },
    )


def put_unread(session: Session, number: int, unread: Mapping[str, int]) -> None:
    """Store how many values of each column an import could not read."""
    text = msgspec.json.encode(unread).decode() if unread else None
    session.execute(_put_unread, {"number": number, "unread": text})


def select_unread(session: Session) -> dict[int, dict[str, int]]:
    """Return the numbers of unread values by column of each import that has any."""
    return {number: _decode_unread(text) for number, text in session.all(_unread)}


RecordSets = Mapping[tuple[Entity, RecordRole], "BitMap"]
"""Record numbers by kind and by how an import came to them."""


def add_records(
    session: Session, number: int, sets: Mapping[tuple[Entity, RecordRole], Collection[int]]
) -> None:
    """Add the records of a commit."""
    from pyroaring import BitMap

    rows = [
        (entity, role, BitMap(numbers).serialize()) for (entity, role), numbers in sets.items() if numbers
    ]
    if rows:
        (found,) = session.all(_next_part, {"number": number})
        session.load(
            import_records, [(number, found[0], int(entity), int(role), blob) for entity, role, blob in rows]
        )


def select_records(session: Session, number: int) -> tuple[RecordSets, int]:
    """Return all records of an import, and the last part that they come from."""
    from pyroaring import BitMap

    sets: dict[tuple[Entity, RecordRole], BitMap] = defaultdict(BitMap)
    last = _PART_OF_ALL
    for part, entity, role, blob in session.all(_parts, {"number": number}):
        sets[Entity(entity), RecordRole(role)] |= BitMap.deserialize(bytes(blob))
        last = part
    return sets, last


def select_opt_out_marks(session: Session) -> "dict[int, BitMap]":
    """Return the contacts that imports marked as opted out, by import, oldest first."""
    from pyroaring import BitMap

    marks: dict[int, BitMap] = defaultdict(BitMap)
    for number, blob in session.all(_opt_out_marks):
        marks[number] |= BitMap.deserialize(bytes(blob))
    return marks


def replace_records(session: Session, number: int, sets: RecordSets, last: int) -> None:
    """Replace the parts up to `last` by one that holds the same records."""
    session.execute(_drop_parts, {"number": number, "last": last})
    rows = [
        (number, _PART_OF_ALL, int(entity), int(role), records.serialize())
        for (entity, role), records in sets.items()
        if records
    ]
    session.load(import_records, rows)


def drop_records(session: Session, number: int) -> None:
    session.execute(_drop_parts, {"number": number, "last": 2**62})


def add_former_rows(session: Session, rows: Iterable[FormerRow]) -> None:
    """Add former rows; of a slot that the same import changed before, the first one stays."""
    session.many(_add_former, [_stored(each) for each in rows])


def put_former_rows(session: Session, rows: Iterable[FormerRow]) -> None:
    """Write former rows in place of those of the same import and slot."""
    session.many(_put_former, [_stored(each) for each in rows])


def select_former_rows(
    session: Session, entity: Entity, records: Sequence[int]
) -> dict[int, list[FormerRow]]:
    """Return the former rows that imports keep of records, by record, in the order in which they were replaced."""
    found: dict[int, list[FormerRow]] = defaultdict(list)
    for _, record, source, source_id, number, place, version, *rest in session.all_in(
        _former_of, "records", records, entity=int(entity)
    ):
        row = None if version is None else Row(version, *rest)
        found[record].append(FormerRow(entity, record, (source, source_id), row, number, place))
    for each in found.values():
        each.sort(key=lambda one: (one.place, one.import_id))
    return found


def move_former_rows(session: Session, entity: Entity, old: int, new: int, slots: Iterable[RowSlot]) -> None:
    """Move what all imports keep of slots to another record."""
    session.many(_move_former, [(new, int(entity), old, *slot) for slot in slots])


def drop_former_rows(session: Session, entity: Entity, number: int, records: Iterable[int]) -> None:
    """Delete the records that an import keeps."""
    session.many(_drop_former, [(int(entity), record, number) for record in records])


def forget_records(session: Session, entity: Entity, records: Sequence[int]) -> None:
    """Delete what all imports keep of records."""
    session.run_in(_forget_records, "records", records, entity=int(entity))


def export_former_rows(session: Session, entity: Entity, records: Sequence[int]) -> list[dict[str, object]]:
    """Return what all imports keep of records, by column."""
    names = import_former_rows.c.keys()
    rows = session.all_in(_former_of, "records", records, entity=int(entity))
    return [dict(zip(names, row, strict=True)) for row in rows]


def select_old(session: Session, before: float) -> StoredImport | None:
    """Return an import that began before a time, ended, and still keeps former rows."""
    row = session.one(_old, {"before": before})
    return StoredImport(*row) if row else None


def forget_some(session: Session, number: int, most: int) -> int:
    """Delete some rows that an import keeps, and return their number."""
    rows = session.all(_some_of, {"number": number, "most": most})
    session.many(_drop_one, rows)
    return len(rows)


def _stored(former: FormerRow) -> tuple[object, ...]:
    row = former.row or (None,) * len(Row._fields)
    return int(former.entity), former.record, *former.slot, former.import_id, former.place, *row

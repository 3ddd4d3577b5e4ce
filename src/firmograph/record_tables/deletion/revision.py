"""Revision of cells after records lost values or signals with a source (docs/reference/tables.md#removed-sources).

A cell is a snapshot of what its record held. One that shows what the record no longer holds becomes `not_run`; a cell
of a default column is filled again, which is free. A worker may have computed cells of an open run before: its lease is
voided, so that it starts that part again.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from firmograph.database.connection import AccountSession, Session
from firmograph.record_tables.cells import counter_store
from firmograph.record_tables.cells.grid import GridEdit
from firmograph.record_tables.columns.kind import NO_DATA, ColumnKinds
from firmograph.record_tables.deletion import erasure_store as store
from firmograph.record_tables.deletion.erasure import decode_types, read_cells, tables_with
from firmograph.record_tables.types import OF_SIGNALS, Cell, RecordTable, TableColumn
from firmograph.security.record_ids import Entity
from firmograph.table_rows import CellRevision

_NOT_RUN: Final = Cell("not_run")
_CATALOG: Final = "lusha"
_SIGNAL: Final = "signal"
_MARK: Final = "doNotCall"
"""Member of a cell that follows the record."""

_Replaced = Mapping[int, Mapping[int, Cell]]
"""Cells by column and position."""


class TableCellRevision(CellRevision):
    """Revision of the cells of all accounts."""

    def __init__(self, kinds: ColumnKinds) -> None:
        self._kinds = kinds

    def next_records(self, session: Session, entity: Entity, after: int, most: int) -> list[int]:
        return store.select_records(session, entity, after, most)

    def revise(self, session: Session, entity: Entity, numbers: Collection[int], at: float) -> int:
        revised = 0
        for own, table, columns, rows in tables_with(session, entity, numbers):
            of_catalog = {column.id: column for column in columns if column.kind == _CATALOG}
            at_position = {row.position: row.number for row in rows}
            held = self._kinds.load(own, entity, list(of_catalog.values()), list(at_position.values()), at)
            replaced: dict[int, dict[int, Cell]] = defaultdict(dict)
            for each in read_cells(own, list(of_catalog), rows):
                content = held.get(each.column_id, {}).get(at_position[each.position], NO_DATA)
                if each.cell.value not in (None, content.value):
                    is_default = of_catalog[each.column_id].is_default
                    replaced[each.column_id][each.position] = content.cell if is_default else _NOT_RUN
            revised += _replace(own, table, columns, replaced, at)
        return revised

    def restate_marks(self, session: Session, numbers: Collection[int], at: float) -> int:
        restated = 0
        for own, table, columns, rows in tables_with(session, Entity.CONTACT, numbers):
            of_catalog = [column for column in columns if column.kind == _CATALOG]
            at_position = {row.position: row.number for row in rows}
            held = self._kinds.load(own, Entity.CONTACT, of_catalog, list(at_position.values()), at)
            replaced: dict[int, dict[int, Cell]] = defaultdict(dict)
            for each in read_cells(own, [column.id for column in of_catalog], rows):
                content = held.get(each.column_id, {}).get(at_position[each.position], NO_DATA)
                note = each.cell.note or {}
                marked = {name: value for name, value in note.items() if name != _MARK}
                marked |= content.note or {}
                if each.cell.value is not None and each.cell.value == content.value and marked != note:
                    replaced[each.column_id][each.position] = each.cell._replace(note=marked or None)
            restated += _replace(own, table, columns, replaced, at)
        return restated

    def forget_signals(
        self, session: Session, entity: Entity, types: Mapping[int, Collection[str]], at: float
    ) -> int:
        forgotten = 0
        for own, table, columns, rows in tables_with(session, entity, types):
            kinds = {column.id: column.kind for column in columns if column.kind in OF_SIGNALS}
            at_position = {row.position: row.number for row in rows}
            replaced: dict[int, dict[int, Cell]] = defaultdict(dict)
            for each in read_cells(own, list(kinds), rows):
                value = each.cell.value
                if value is None:
                    continue
                gone = types[at_position[each.position]]
                if kinds[each.column_id] != _SIGNAL or not decode_types(value).keys().isdisjoint(gone):
                    replaced[each.column_id][each.position] = _NOT_RUN
            forgotten += _replace(own, table, columns, replaced, at)
        return forgotten


def _replace(
    own: AccountSession,
    table: RecordTable,
    columns: Sequence[TableColumn],
    replaced: _Replaced,
    at: float,
) -> int:
    """Replace stored cells of a table and return how many."""
    if table.open_runs:
        store.void_leases(own, table.id, [column.id for column in columns])
    if not replaced:
        return 0
    edit = GridEdit(own, table, columns)
    for column_id, cells in replaced.items():
        edit.replace_stored(column_id, cells)
    edit.write(at)
    # a page that was read before must not be shown any more, as after the removal of a row
    counter_store.add_to_table(own, table.id, removed=1)
    return sum(map(len, replaced.values()))

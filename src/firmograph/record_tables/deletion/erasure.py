"""Removal of deleted records, and erasure of suppressed people, from the tables of all accounts.

See docs/reference/tables.md#suppressed-people.

A record's rows are removed with their cells, also from tables and columns whose deletion has not ended. Cells of a
company lose the signals that name a suppressed person, also posts that stay without the name; a cell without other
signals has no data. Counters and open runs change with both. No other cell shows data of a record that is not its row.

A worker may have computed such a cell before and write it after: the leases of its run are voided, so that it starts
that part again. Rows need no lease, as a run reads them again when it writes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

import msgspec

from firmograph.database.connection import AccountSession, Session
from firmograph.privacy.declarations import Deletion, Erasure, People
from firmograph.record_tables.cells import counter_store
from firmograph.record_tables.cells.chunk import CHUNK, CellChunk, place_of
from firmograph.record_tables.cells.grid import GridEdit
from firmograph.record_tables.cells.store import select_cells
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.deletion import erasure_store as store
from firmograph.record_tables.deletion.erasure_store import FoundRow
from firmograph.record_tables.types import Cell, RecordTable, TableColumn
from firmograph.security.record_ids import Entity
from firmograph.signals.erasure import AffectedSignals, find_affected, find_marks

_SIGNAL: Final = "signal"
_encode = msgspec.json.encode
_decode_types = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_events = msgspec.json.Decoder(list[msgspec.Raw]).decode


class _Event(msgspec.Struct, rename="camel"):
    signal_id: str | None = None
    activity_url: str | None = None


_decode_event = msgspec.json.Decoder(_Event).decode


class _ReadCell(NamedTuple):
    column_id: int
    position: int
    cell: Cell


def remove_rows(deletion: Deletion) -> None:
    """Remove the rows of deleted records from all tables."""
    for own, table, columns, rows in _tables_with(deletion.session, deletion.entity, deletion.numbers):
        edit = GridEdit(own, table, columns)
        edit.remove_rows({row.number: row.position for row in rows})
        edit.write(deletion.at)


def erase_events(erasure: Erasure) -> None:
    """Remove the signals that name the people from the cells of companies."""
    affected = erasure.find(find_affected)
    marks = find_marks(erasure.session, affected)
    for own, table, columns, rows in _tables_with(erasure.session, Entity.COMPANY, _companies(affected)):
        of_signals = _signal_columns(columns)
        replaced: dict[int, dict[int, Cell]] = defaultdict(dict)
        for column_id, position, cell in _read_cells(own, of_signals, rows):
            rest, named = _split(cell.value, marks)
            if named is not None:
                status = "no_data" if rest is None and cell.status == "success" else cell.status
                replaced[column_id][position] = cell._replace(status=status, value=rest)
        edit = GridEdit(own, table, columns)
        for column_id, cells in replaced.items():
            edit.replace_stored(column_id, cells)
        edit.write(erasure.at)
        if replaced:
            # a page that was read before must not be shown any more, as after the removal of a row
            counter_store.add_to_table(own, table.id, removed=1)
        if table.open_runs:
            store.void_leases(own, table.id, of_signals)


# --- what an export shows ---


def find_numbers(session: Session, people: People) -> Iterator[dict[str, Any]]:
    """Yield the people's places in the chunks of tables, each without the other rows."""
    for row in store.select_rows(session, Entity.CONTACT, people.records):
        yield {
            "table_id": row.table_id,
            "chunk": row.position // CHUNK,
            "account_id": row.account_id,
            "count": 1,
            "numbers": b"[%d]" % row.number,
        }


def find_cells(session: Session, people: People) -> Iterator[dict[str, Any]]:
    """Yield the cells of the people's rows, and of companies what names the people, each without other cells."""
    for own, _, columns, rows in _tables_with(session, Entity.CONTACT, people.records):
        for each in _read_cells(own, [column.id for column in columns], rows):
            yield _exported(own, each, each.cell.value)
    affected = find_affected(session, people)
    marks = find_marks(session, affected)
    for own, _, columns, rows in _tables_with(session, Entity.COMPANY, _companies(affected)):
        for each in _read_cells(own, _signal_columns(columns), rows):
            _, named = _split(each.cell.value, marks)
            if named is not None:
                yield _exported(own, each, named)


def _exported(own: AccountSession, each: _ReadCell, value: bytes | None) -> dict[str, Any]:
    return {
        "column_id": each.column_id,
        "chunk": each.position // CHUNK,
        "account_id": own.account_id,
        "statuses": each.cell.status,
        "notes": _encode(each.cell.note) if each.cell.note else None,
        "contents": value,
    }


# --- rows and cells ---


def _companies(affected: AffectedSignals) -> set[int]:
    return {number for entity, number in affected.records.values() if entity == Entity.COMPANY}


def _signal_columns(columns: Iterable[TableColumn]) -> list[int]:
    return [column.id for column in columns if column.kind == _SIGNAL]


def _tables_with(
    session: Session, entity: Entity, numbers: Collection[int]
) -> Iterator[tuple[AccountSession, RecordTable, list[TableColumn], list[FoundRow]]]:
    """Yield each table that has some of the records, with its columns and these rows."""
    rows = store.select_rows(session, entity, numbers)
    for (account_id, table_id), some in groupby(rows, key=attrgetter("account_id", "table_id")):
        own = AccountSession(session, account_id)
        yield own, store.read_table(own, table_id), column_store.select_every_column(own, table_id), [*some]


def _read_cells(own: AccountSession, columns: Sequence[int], rows: Iterable[FoundRow]) -> Iterator[_ReadCell]:
    """Yield the cells of rows that have a value or a note."""
    places = {row.position: place_of(row.position) for row in rows}
    stored = select_cells(own, columns, {place.chunk for place in places.values()})
    for each in stored:
        cells = CellChunk(each.statuses, each.notes, each.contents)
        for position, (chunk, index) in places.items():
            if chunk == each.chunk:
                cell = Cell(cells.status(index), cells.content(index), dict(cells.note(index)))
                if cell.value is not None or cell.note:
                    yield _ReadCell(each.column_id, position, cell)


def _split(value: bytes | None, marks: Collection[str]) -> tuple[bytes | None, bytes | None]:
    """Return the signals of a cell without those that have these marks, and these alone; None for no signals."""
    rest: dict[str, Any] = {}
    named: dict[str, list[msgspec.Raw]] = {}
    for name, content in _decode_types(value or b"{}").items():
        if not bytes(content).startswith(b"["):
            rest[name] = content
            continue
        events = _decode_events(content)
        found = [event for event in events if _has_mark(event, marks)]
        if found:
            named[name] = found
        if len(found) < len(events) or not found:
            rest[name] = [event for event in events if event not in found]
    has_signals = any(isinstance(events, list) and events for events in rest.values())
    return _encode(rest) if has_signals else None, _encode(named) if named else None


def _has_mark(event: msgspec.Raw, marks: Collection[str]) -> bool:
    shown = _decode_event(event)
    return shown.signal_id in marks or shown.activity_url in marks

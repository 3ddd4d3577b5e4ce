"""Reading of rows with their cells: pages and single records as JSON, and all rows for an export.

Rows of chunks are counted, so a page is found without reading the rows before it, however many were removed. Each read
takes a fixed number of statements.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeVar

from firmograph.database.connection import AccountSession, Database
from firmograph.kit.errors import NotFound
from firmograph.record_tables import store as table_store
from firmograph.record_tables.cells import store
from firmograph.record_tables.cells.chunk import CellChunk, RowChunk, decode_bits, place_of
from firmograph.record_tables.columns import store as column_store
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.ids import TableIds
from firmograph.record_tables.rows.previews import RowPreviews
from firmograph.record_tables.rows.rendering import ColumnRenderer, shown_note
from firmograph.record_tables.types import CellStatus, RecordTable, TableColumn
from firmograph.security.record_ids import Entity, RecordIds

C = TypeVar("C")


class RowPage(NamedTuple):
    """Rows of a table in their order."""

    numbers: list[int]
    """Records."""
    rows: list[bytes]
    """JSON of each row."""
    total: int
    """Rows of the table."""


class ReadCell(NamedTuple):
    """Cell as it is shown."""

    status: CellStatus
    value: bytes | None
    """JSON; None without a value."""
    note: Mapping[str, Any]
    """Further members in answers."""


_NOT_RUN: Final = ReadCell("not_run", None, {})


class ReadRow(NamedTuple):
    number: int
    """Record."""
    cells: list[ReadCell]
    """In the order of the columns."""


class _Places(NamedTuple):
    """Rows of one chunk."""

    chunk: int
    indices: list[int]
    numbers: list[int]


class RowReader:
    """Reader of rows."""

    def __init__(self, kinds: ColumnKinds, ids: TableIds, record_ids: RecordIds) -> None:
        self._previews = RowPreviews(record_ids)
        self._kinds = kinds
        self._ids = ids
        self._record_ids = record_ids

    # --- JSON ---

    def page(self, session: AccountSession, table: RecordTable, page: int, size: int) -> RowPage:
        """Return the rows from `page * size` on, at most `size`. At most six statements."""
        places = _find_page(session, table.id, page * size, size)
        return self._render(session, table, places)

    def of_records(self, session: AccountSession, table: RecordTable, numbers: Sequence[int]) -> RowPage:
        """Return the rows of those of these records that are in the table, in the order given."""
        positions = store.select_positions(session, table.id, numbers)
        by_position = sorted((position, number) for number, position in positions.items())
        placed = [(place_of(position), number) for position, number in by_position]
        places = [
            _Places(chunk, [place.offset for place, _ in rows], [number for _, number in rows])
            for chunk, rows in _grouped(placed)
        ]
        page = self._render(session, table, places)
        rows = dict(zip(page.numbers, page.rows, strict=True))
        found = [number for number in numbers if number in rows]
        return RowPage(found, [rows[number] for number in found], page.total)

    def _render(self, session: AccountSession, table: RecordTable, places: Sequence[_Places]) -> RowPage:
        columns = column_store.select_columns(session, table.id)
        cells, taken = _load(session, table, columns, [place.chunk for place in places])
        entity = Entity(table.entity)
        renderers = [self._renderer(column, entity) for column in columns]
        every = [number for place in places for number in place.numbers]
        previews = self._previews.read(session.session, entity, every) if every else {}
        rows: list[bytes] = []
        for chunk, indices, own in places:
            rendered = [
                renderer.render(cells.get((column.id, chunk)), taken.get((column.id, chunk), 0), indices)
                for column, renderer in zip(columns, renderers, strict=True)
            ]
            seal = self._record_ids.seal_bytes
            rows += [
                b'{"id":"%b",%b"columns":[%b]}'
                % (seal(entity, number), previews.get(number, b""), b",".join(shown))
                for number, shown in zip(own, _by_row(rendered, len(own)), strict=True)
            ]
        return RowPage(every, rows, table.entity_count)

    def _renderer(self, column: TableColumn, entity: Entity) -> ColumnRenderer:
        value_type = self._kinds.of(column).value_type(column, entity)
        return ColumnRenderer(column, self._ids.column_id(column.id), value_type)

    # --- export ---

    def chunks(
        self, database: Database, table: RecordTable, columns: Sequence[TableColumn]
    ) -> Iterator[list[ReadRow]]:
        """Yield all rows, chunk after chunk, with the cells of these columns in their order.

        Each chunk is one read of its own, so no reader stays open however long the export takes; rows that were
        removed until then are left out. Raises NotFound if the table is deleted in between.
        """
        with database.read() as session:
            counts = store.select_counts(AccountSession(session, table.account_id), table.id)
        for chunk, _ in counts:
            with database.read() as session:
                rows = _read_chunk(AccountSession(session, table.account_id), table.id, columns, chunk)
            if rows:
                yield rows


def _read_chunk(
    session: AccountSession, table_id: int, columns: Sequence[TableColumn], chunk: int
) -> list[ReadRow]:
    table = table_store.find_table(session, table_id)
    if table is None:
        raise NotFound("TABLE_NOT_FOUND: the table was deleted while its rows were read")
    stored = store.select_chunks(session, table_id, [chunk])
    if chunk not in stored:
        return []
    cells, taken = _load(session, table, columns, [chunk])
    rows = list(RowChunk.decode(stored[chunk]).rows())
    indices = [index for index, _ in rows]
    shown = [
        _read_cells(cells.get((one.id, chunk)), taken.get((one.id, chunk), 0), indices) for one in columns
    ]
    return [
        ReadRow(number, list(own)) for (_, number), own in zip(rows, _by_row(shown, len(rows)), strict=True)
    ]


def _read_cells(cells: CellChunk | None, taken: int, indices: Sequence[int]) -> list[ReadCell]:
    if cells is None:
        return [
            _NOT_RUN._replace(status="processing") if taken >> index & 1 else _NOT_RUN for index in indices
        ]
    statuses = cells.statuses()
    if not taken and not cells.has_notes:
        return [ReadCell(statuses[index], cells.content(index), {}) for index in indices]
    read = []
    for index in indices:
        status: CellStatus = "processing" if taken >> index & 1 else statuses[index]
        read.append(ReadCell(status, cells.content(index), shown_note(status, cells.note(index))))
    return read


def _find_page(session: AccountSession, table_id: int, start: int, size: int) -> list[_Places]:
    """Return the rows of a page by chunk. Two statements."""
    first = {}
    """Rows before each chunk that has some of the page."""
    before = 0
    for chunk, count in store.select_counts(session, table_id):
        if before < start + size and before + count > start:
            first[chunk] = before
        before += count
    stored = store.select_chunks(session, table_id, list(first)) if first else {}
    places = []
    for chunk, rows_before in first.items():
        rows = list(RowChunk.decode(stored[chunk]).rows())[
            max(start - rows_before, 0) : start + size - rows_before
        ]
        places.append(_Places(chunk, [index for index, _ in rows], [number for _, number in rows]))
    return places


def _load(
    session: AccountSession, table: RecordTable, columns: Sequence[TableColumn], chunks: Collection[int]
) -> tuple[dict[tuple[int, int], CellChunk], dict[tuple[int, int], int]]:
    """Return stored cells, and positions that open runs have yet to fill, by column and chunk."""
    numbers = [column.id for column in columns]
    cells = {
        (one.column_id, one.chunk): CellChunk(one.statuses, one.notes, one.contents)
        for one in store.select_cells(session, numbers, chunks)
    }
    taken: dict[tuple[int, int], int] = {}
    if table.open_runs:
        for part in store.select_parts(session, numbers, chunks):
            key = part.column_id, part.chunk
            taken[key] = taken.get(key, 0) | decode_bits(part.taken)
    return cells, taken


def _grouped(placed: Iterable[Any]) -> Iterator[tuple[int, list[Any]]]:
    for chunk, rows in groupby(placed, key=lambda row: row[0].chunk):
        yield chunk, list(rows)


def _by_row(rendered: Sequence[Sequence[C]], count: int) -> Iterable[Sequence[C]]:
    """Return the cells of each row from those of each column; a table without columns has empty rows."""
    return list(zip(*rendered, strict=True)) if rendered else [()] * count

"""Changes of rows and cells of one table, with all counters, in one transaction.

Invariants that hold after each transaction:

- `entity_count` is the number of rows; the five counters of a column add up to it.
- A cell is `processing` while a part of an open run has its position; it keeps its stored status and value until then.
- A run's `left_...` count the positions of its parts by stored status. A run with nothing left has ended.

All callers hold the scope of the account, so changes of one account follow one another.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from firmograph.database.connection import AccountSession
from firmograph.record_tables.cells import counter_store, store
from firmograph.record_tables.cells.chunk import (
    CellChunk,
    RowChunk,
    decode_bits,
    encode_bits,
    place_of,
    positions_with,
)
from firmograph.record_tables.cells.store import StoredCells, StoredPart
from firmograph.record_tables.types import (
    MISSING,
    STORED_STATUSES,
    Cell,
    CellStatus,
    Counters,
    RecordTable,
    RunScope,
    RunState,
    TableColumn,
)

_Change = Callable[[CellChunk, int, Cell], None]


class NewRow(NamedTuple):
    """Row to add, with the cells of default columns."""

    number: int
    """Record."""
    cells: Mapping[int, Cell]
    """By column."""


class TakenCells(NamedTuple):
    """Cells for a new run."""

    bits: Mapping[int, int]
    """Positions by chunk."""
    left: Counters
    """Their number by stored status."""

    @property
    def number(self) -> int:
        return sum(self.left)


class GridEdit:
    """Changes of rows and cells of one table, collected and then written once."""

    def __init__(self, session: AccountSession, table: RecordTable, columns: Sequence[TableColumn]) -> None:
        """Prepare changes; `columns` are all columns of the table, deleted ones included."""
        self._session = session
        self._table = table
        self._columns = [column.id for column in columns]
        self._rows: dict[int, RowChunk] = {}
        self._cells: dict[tuple[int, int], CellChunk] = {}
        self._loaded: set[tuple[int, int]] = set()
        self._parts: dict[tuple[int, int], dict[int, int]] = {}
        self._changed_rows: set[int] = set()
        self._changed_cells: set[tuple[int, int]] = set()
        self._changed_parts: set[tuple[int, int]] = set()
        self._counters: dict[int, Counter[str]] = defaultdict(Counter)
        self._filled: dict[int, Counter[str]] = defaultdict(Counter)
        self._added: list[tuple[int, int]] = []
        self._removed: list[int] = []

    # --- rows ---

    def add_rows(self, rows: Sequence[NewRow]) -> None:
        """Add rows at the end. The caller has checked that they are new, and that the table has room."""
        first = self._table.next_position + len(self._added)
        places = [place_of(first + index) for index in range(len(rows))]
        filled = sorted({column for row in rows for column in row.cells})
        self._load_rows({place.chunk for place in places})
        self._load_cells(filled, {place.chunk for place in places})
        for column in self._columns:
            self._count(column, "not_run", len(rows))
        for index, (row, place) in enumerate(zip(rows, places, strict=True)):
            self._rows[place.chunk].set(place.offset, row.number)
            self._added.append((row.number, first + index))
            for column, cell in row.cells.items():
                self._cells[column, place.chunk].set(place.offset, cell)
                self._count(column, "not_run", -1)
                self._count(column, cell.status, 1)
                self._changed_cells.add((column, place.chunk))
        self._changed_rows |= {place.chunk for place in places}

    def remove_rows(self, rows: Mapping[int, int]) -> None:
        """Remove rows, given as record number and position, with their cells."""
        places = {number: place_of(position) for number, position in rows.items()}
        chunks = {place.chunk for place in places.values()}
        self._load_rows(chunks)
        self._load_cells(self._columns, chunks)
        for number, (chunk, index) in places.items():
            self._rows[chunk].set(index, None)
            for column in self._columns:
                cells = self._cells[column, chunk]
                status = cells.status(index)
                self._count(
                    column, "processing" if self._release(column, chunk, index, status) else status, -1
                )
                if status != "not_run":
                    self._changed_cells.add((column, chunk))
                cells.clear(index)
            self._removed.append(number)
        self._changed_rows |= chunks

    # --- cells ---

    def set_cells(self, column_id: int, cells: Mapping[int, Cell]) -> None:
        """Fill cells of existing rows, given by position; one that an open run has is taken from it."""
        self._change(column_id, cells, lambda chunk, index, cell: chunk.set(index, cell))

    def fail_cells(self, column_id: int, positions: Iterable[int], error: str) -> None:
        """Mark cells as failed; they keep their values."""
        failed = dict.fromkeys(positions, Cell("failed"))
        self._change(column_id, failed, lambda chunk, index, cell: chunk.fail(index, error))

    def replace_stored(self, column_id: int, cells: Mapping[int, Cell]) -> None:
        """Replace what is stored of cells, given by position; an open run keeps those that it has."""
        self._change(column_id, cells, lambda chunk, index, cell: chunk.set(index, cell), stays_in_run=True)

    def _change(
        self, column_id: int, cells: Mapping[int, Cell], change: _Change, *, stays_in_run: bool = False
    ) -> None:
        places = {position: place_of(position) for position in cells}
        self._load_cells([column_id], {place.chunk for place in places.values()})
        for position, cell in cells.items():
            chunk, index = places[position]
            stored = self._cells[column_id, chunk]
            status, run = stored.status(index), self._holder(column_id, chunk, index)
            if run is not None and stays_in_run:
                self._filled[run][status] += 1
                self._filled[run][cell.status] -= 1
            else:
                shown = "processing" if self._release(column_id, chunk, index, status) else status
                self._count(column_id, shown, -1)
                self._count(column_id, cell.status, 1)
            change(stored, index, cell)
            self._changed_cells.add((column_id, chunk))

    # --- runs ---

    def take_cells(self, column: TableColumn, scope: RunScope, positions: Collection[int] = ()) -> TakenCells:
        """Return the cells of a scope that no open run has, and count them as `processing`.

        `positions` are the rows of scope `specific`. The caller writes the parts of the run (`add_parts`).
        """
        if scope == "specific":
            chosen: dict[int, int] = defaultdict(int)
            for position in positions:
                chunk, index = place_of(position)
                chosen[chunk] |= 1 << index
        else:
            chosen = dict(self._stored_rows)
        for part in store.select_parts_of_column(self._session, column.id):
            if part.chunk in chosen:
                chosen[part.chunk] &= ~decode_bits(part.taken)
        left = self._count_taken(column, scope, chosen)
        self._count(column.id, "processing", sum(left))
        for status in STORED_STATUSES:
            self._count(column.id, status, -getattr(left, status))
        return TakenCells({chunk: bits for chunk, bits in chosen.items() if bits}, left)

    def _count_taken(self, column: TableColumn, scope: RunScope, chosen: dict[int, int]) -> Counters:
        """Return the number of chosen cells by stored status; of scope `missing`, restrict them first."""
        if scope == "all":
            # every cell that no run has: the counters have them already
            return column.counters._replace(processing=0)
        statuses = store.select_statuses(self._session, column.id)
        if scope == "missing":
            for chunk in chosen:
                if chunk in statuses:
                    chosen[chunk] &= positions_with(statuses[chunk], MISSING)
        counts = dict.fromkeys(STORED_STATUSES, 0)
        for chunk, bits in chosen.items():
            if chunk not in statuses:
                counts["not_run"] += bits.bit_count()
                continue
            for status in STORED_STATUSES:
                counts[status] += (bits & positions_with(statuses[chunk], (status,))).bit_count()
        return Counters(**counts)

    def add_parts(self, column_id: int, run_id: int, taken: TakenCells) -> None:
        """Write the parts of a new run with the cells that it has taken."""
        parts = [(chunk, encode_bits(bits)) for chunk, bits in taken.bits.items()]
        store.insert_parts(self._session, column_id, run_id, parts)

    # --- end of the transaction ---

    def write(self, at: float) -> None:
        """Write all changes, and end the runs that have nothing left."""
        session, table = self._session, self._table
        store.delete_rows(session, table.id, self._removed)
        store.insert_rows(session, table.id, self._added)
        self._write_chunks()
        counter_store.add_to_columns(
            session, {column: Counters(**changes) for column, changes in self._counters.items()}
        )
        ended = 0
        if self._filled:
            counter_store.reduce_left(session, {run: Counters(**less) for run, less in self._filled.items()})
            ended = sum(
                counter_store.end_run(session, run, RunState.DONE, at)
                for run in counter_store.select_filled(session, self._filled)
            )
        if self._added or self._removed or ended:
            counter_store.add_to_table(
                session,
                table.id,
                rows=len(self._added) - len(self._removed),
                positions=len(self._added),
                runs=-ended,
                removed=len(self._removed),
            )

    def _write_chunks(self) -> None:
        session, table = self._session, self._table
        rows = [(chunk, self._rows[chunk]) for chunk in sorted(self._changed_rows)]
        empty = [chunk for chunk, held in rows if not held.count]
        store.upsert_chunks(
            session, table.id, [(chunk, held.count, held.encode()) for chunk, held in rows if held.count]
        )
        store.delete_chunks(session, table.id, empty)
        store.delete_cells(session, self._columns, empty)
        store.upsert_cells(
            session,
            [
                StoredCells(column, chunk, *self._cells[column, chunk].encode())
                for column, chunk in sorted(self._changed_cells)
                if chunk not in empty
            ],
        )
        parts = [
            StoredPart(column, chunk, run, encode_bits(bits))
            for column, chunk in sorted(self._changed_parts)
            for run, bits in self._parts[column, chunk].items()
        ]
        store.upsert_parts(session, [part for part in parts if any(part.taken)])
        store.delete_filled_parts(session, [part for part in parts if not any(part.taken)])

    # --- parts of the table in memory ---

    @cached_property
    def _stored_rows(self) -> dict[int, int]:
        """Positions of the rows by chunk, as before the changes."""
        stored = store.select_all_chunks(self._session, self._table.id)
        return {chunk: RowChunk.decode(numbers).bits for chunk, numbers in stored.items()}

    def _count(self, column: int, status: CellStatus, change: int) -> None:
        self._counters[column][status] += change

    def _release(self, column: int, chunk: int, index: int, status: CellStatus) -> bool:
        """Take a cell from the open run that has it; return whether one had it."""
        run = self._holder(column, chunk, index)
        if run is None:
            return False
        self._parts[column, chunk][run] &= ~(1 << index)
        self._changed_parts.add((column, chunk))
        self._filled[run][status] += 1
        return True

    def _holder(self, column: int, chunk: int, index: int) -> int | None:
        """Return the open run that has yet to fill a cell."""
        runs = self._parts.get((column, chunk), {})
        return next((run for run, bits in runs.items() if bits >> index & 1), None)

    def _load_rows(self, chunks: Collection[int]) -> None:
        missing = [chunk for chunk in chunks if chunk not in self._rows]
        stored = store.select_chunks(self._session, self._table.id, missing) if missing else {}
        for chunk in missing:
            self._rows[chunk] = RowChunk.decode(stored[chunk]) if chunk in stored else RowChunk()

    def _load_cells(self, columns: Sequence[int], chunks: Collection[int]) -> None:
        """Load cells, and the parts of open runs, of columns in chunks."""
        missing = {(column, chunk) for column in columns for chunk in chunks} - self._loaded
        if not missing:
            return
        wanted = {column for column, _ in missing}, {chunk for _, chunk in missing}
        stored = {(one.column_id, one.chunk): one for one in store.select_cells(self._session, *wanted)}
        for key in missing:
            found = stored.get(key)
            self._cells[key] = CellChunk(*found[2:]) if found else CellChunk()
        self._loaded.update(missing)
        if self._table.open_runs:
            for part in store.select_parts(self._session, *wanted):
                if (part.column_id, part.chunk) in missing:
                    runs = self._parts.setdefault((part.column_id, part.chunk), {})
                    runs[part.run_id] = decode_bits(part.taken)


def end_run(
    session: AccountSession,
    table_id: int,
    column_id: int,
    run_id: int,
    left: Counters,
    state: RunState,
    at: float,
) -> bool:
    """End an open run before it has filled its cells, which are as before; return False if it has ended already."""
    if not counter_store.end_run(session, run_id, state, at):
        return False
    store.delete_parts(session, run_id)
    counter_store.add_to_columns(session, {column_id: left._replace(processing=-sum(left))})
    counter_store.add_to_table(session, table_id, runs=-1)
    return True

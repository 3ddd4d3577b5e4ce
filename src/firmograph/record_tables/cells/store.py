"""SQL on the chunks of rows and cells.

Statements take the account; erasure, which concerns every account, has statements of its own (`erasure_store.py`).
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession
from firmograph.database.upsert import insert
from firmograph.record_tables.tables import (
    record_table_cells,
    record_table_chunks,
    record_table_rows,
    record_table_run_parts,
)

_r, _h, _k, _p = (
    record_table_rows.c,
    record_table_chunks.c,
    record_table_cells.c,
    record_table_run_parts.c,
)
_account = bindparam("account", type_=sa.BigInteger)
_table = bindparam("table", type_=sa.BigInteger)
_column = bindparam("column", type_=sa.BigInteger)


class StoredCells(NamedTuple):
    """Cells of one column in a chunk, as stored."""

    column_id: int
    chunk: int
    statuses: str
    notes: bytes | None
    contents: bytes


class StoredPart(NamedTuple):
    """Cells of a chunk that an open run has yet to fill."""

    column_id: int
    chunk: int
    run_id: int
    taken: bytes


# --- rows ---

_POSITIONS = sa.select(_r.record_id, _r.position).where(
    _r.account_id == _account, _r.table_id == _table, column_in(_r.record_id, "numbers")
)
_INSERT_ROW = insert(record_table_rows).values(
    record_id=bindparam("record"),
    table_id=bindparam("table"),
    account_id=bindparam("account"),
    position=bindparam("at"),
)
_DELETE_ROW = sa.delete(record_table_rows).where(
    _r.record_id == bindparam("record"),
    _r.table_id == bindparam("table"),
    _r.account_id == bindparam("account"),
)
_COUNTS = (
    sa.select(_h.chunk, _h.count).where(_h.account_id == _account, _h.table_id == _table).order_by(_h.chunk)
)
_CHUNKS = sa.select(_h.chunk, _h.numbers).where(
    _h.account_id == _account, _h.table_id == _table, column_in(_h.chunk, "chunks")
)
_ALL_CHUNKS = (
    sa.select(_h.chunk, _h.numbers).where(_h.account_id == _account, _h.table_id == _table).order_by(_h.chunk)
)
_chunk = insert(record_table_chunks).values(
    table_id=bindparam("table"),
    chunk=bindparam("at"),
    account_id=bindparam("account"),
    count=bindparam("rows"),
    numbers=bindparam("numbers"),
)
_UPSERT_CHUNK = _chunk.on_conflict_do_update(
    index_elements=[column.name for column in record_table_chunks.primary_key],
    set_={"count": _chunk.excluded.count, "numbers": _chunk.excluded.numbers},
)
_DELETE_CHUNK = sa.delete(record_table_chunks).where(
    _h.account_id == bindparam("account"), _h.table_id == bindparam("table"), _h.chunk == bindparam("at")
)


def select_positions(session: AccountSession, table_id: int, numbers: Collection[int]) -> dict[int, int]:
    """Return the positions of those of these records that are rows of the table. One statement."""
    rows = session.all_in(_POSITIONS, "numbers", sorted(numbers), table=table_id)
    return {row[0]: row[1] for row in rows}


def insert_rows(session: AccountSession, table_id: int, rows: Iterable[tuple[int, int]]) -> None:
    """Insert rows, given as record number and position. One statement."""
    session.each(
        _INSERT_ROW, ({"record": number, "table": table_id, "at": position} for number, position in rows)
    )


def delete_rows(session: AccountSession, table_id: int, numbers: Iterable[int]) -> None:
    """Delete rows by record number. One statement."""
    session.each(_DELETE_ROW, ({"record": number, "table": table_id} for number in numbers))


def select_counts(session: AccountSession, table_id: int) -> list[tuple[int, int]]:
    """Return each chunk with its number of rows, in order."""
    return [(row[0], row[1]) for row in session.all(_COUNTS, {"table": table_id})]


def select_chunks(session: AccountSession, table_id: int, chunks: Collection[int]) -> dict[int, bytes]:
    """Return the record numbers of chunks, as stored."""
    rows = session.all_in(_CHUNKS, "chunks", sorted(chunks), table=table_id)
    return {row[0]: row[1] for row in rows}


def select_all_chunks(session: AccountSession, table_id: int) -> dict[int, bytes]:
    """Return the record numbers of all chunks, as stored, in order."""
    return {row[0]: row[1] for row in session.all(_ALL_CHUNKS, {"table": table_id})}


def upsert_chunks(session: AccountSession, table_id: int, chunks: Iterable[tuple[int, int, bytes]]) -> None:
    """Write chunks, given with their number of rows and the record numbers as stored. One statement."""
    session.each(
        _UPSERT_CHUNK,
        (
            {"table": table_id, "at": chunk, "rows": count, "numbers": numbers}
            for chunk, count, numbers in chunks
        ),
    )


def delete_chunks(session: AccountSession, table_id: int, chunks: Iterable[int]) -> None:
    """Delete chunks without rows. One statement."""
    session.each(_DELETE_CHUNK, ({"table": table_id, "at": chunk} for chunk in chunks))


# --- cells ---

_CELLS = sa.select(_k.column_id, _k.chunk, _k.statuses, _k.notes, _k.contents).where(
    _k.account_id == _account, column_in(_k.column_id, "columns"), column_in(_k.chunk, "chunks")
)
_STATUSES = (
    sa.select(_k.chunk, _k.statuses)
    .where(_k.account_id == _account, _k.column_id == _column)
    .order_by(_k.chunk)
)
_cells = insert(record_table_cells).values(
    column_id=bindparam("column"),
    chunk=bindparam("at"),
    account_id=bindparam("account"),
    statuses=bindparam("statuses"),
    notes=bindparam("notes"),
    contents=bindparam("contents"),
)
_UPSERT_CELLS = _cells.on_conflict_do_update(
    index_elements=[column.name for column in record_table_cells.primary_key],
    set_={name: _cells.excluded[name] for name in ("statuses", "notes", "contents")},
)
_DELETE_CELLS = sa.delete(record_table_cells).where(
    _k.account_id == _account, column_in(_k.column_id, "columns"), column_in(_k.chunk, "chunks")
)


def select_cells(
    session: AccountSession, columns: Collection[int], chunks: Collection[int]
) -> list[StoredCells]:
    """Return the stored cells of columns in chunks; those where nothing was run have none. One statement."""
    if not columns or not chunks:
        return []
    rows = session.all(_CELLS, {"columns": sorted(columns), "chunks": sorted(chunks)})
    return list(map(StoredCells._make, rows))


def select_statuses(session: AccountSession, column_id: int) -> dict[int, str]:
    """Return the status letters of a column by chunk."""
    return {row[0]: row[1] for row in session.all(_STATUSES, {"column": column_id})}


def upsert_cells(session: AccountSession, cells: Iterable[StoredCells]) -> None:
    """Write cells. One statement."""
    session.each(
        _UPSERT_CELLS,
        (
            {
                "column": one.column_id,
                "at": one.chunk,
                "statuses": one.statuses,
                "notes": one.notes,
                "contents": one.contents,
            }
            for one in cells
        ),
    )


def delete_cells(session: AccountSession, columns: Sequence[int], chunks: Sequence[int]) -> None:
    """Delete the cells of columns in chunks without rows."""
    if columns and chunks:
        session.execute(_DELETE_CELLS, {"columns": columns, "chunks": chunks})


# --- parts of open runs ---

_PARTS = sa.select(_p.column_id, _p.chunk, _p.run_id, _p.taken).where(
    _p.account_id == _account, column_in(_p.column_id, "columns"), column_in(_p.chunk, "chunks")
)
_PARTS_OF_COLUMN = sa.select(_p.column_id, _p.chunk, _p.run_id, _p.taken).where(
    _p.account_id == _account, _p.column_id == _column
)
_NEXT_PARTS = (
    sa.select(_p.column_id, _p.chunk, _p.run_id, _p.taken)
    .where(_p.account_id == _account, _p.run_id == bindparam("run"))
    .order_by(_p.chunk)
    .limit(bindparam("most"))
)
_part = insert(record_table_run_parts).values(
    column_id=bindparam("column"),
    chunk=bindparam("at"),
    run_id=bindparam("run"),
    account_id=bindparam("account"),
    taken=bindparam("taken"),
)
_UPSERT_PART = _part.on_conflict_do_update(
    index_elements=[column.name for column in record_table_run_parts.primary_key],
    set_={"taken": _part.excluded.taken},
)
_DELETE_PART = sa.delete(record_table_run_parts).where(
    _p.account_id == bindparam("account"),
    _p.column_id == bindparam("column"),
    _p.chunk == bindparam("at"),
    _p.run_id == bindparam("run"),
)
_DELETE_PARTS = sa.delete(record_table_run_parts).where(
    _p.account_id == _account, _p.run_id == bindparam("run")
)


def select_parts(
    session: AccountSession, columns: Collection[int], chunks: Collection[int]
) -> list[StoredPart]:
    """Return what open runs have yet to fill of columns in chunks. One statement."""
    if not columns or not chunks:
        return []
    rows = session.all(_PARTS, {"columns": sorted(columns), "chunks": sorted(chunks)})
    return list(map(StoredPart._make, rows))


def select_parts_of_column(session: AccountSession, column_id: int) -> list[StoredPart]:
    rows = session.all(_PARTS_OF_COLUMN, {"column": column_id})
    return list(map(StoredPart._make, rows))


def select_next_parts(session: AccountSession, run_id: int, most: int) -> list[StoredPart]:
    """Return what a run is to fill next, by chunk."""
    rows = session.all(_NEXT_PARTS, {"run": run_id, "most": most})
    return list(map(StoredPart._make, rows))


def insert_parts(
    session: AccountSession, column_id: int, run_id: int, parts: Iterable[tuple[int, bytes]]
) -> None:
    """Insert the parts of a new run, given as chunk and bits. One statement."""
    session.load(
        record_table_run_parts,
        [(column_id, chunk, run_id, taken) for chunk, taken in parts],
        ("column_id", "chunk", "run_id", "taken"),
    )


def upsert_parts(session: AccountSession, parts: Iterable[StoredPart]) -> None:
    """Write parts. One statement."""
    session.each(
        _UPSERT_PART,
        (
            {"column": part.column_id, "at": part.chunk, "run": part.run_id, "taken": part.taken}
            for part in parts
        ),
    )


def delete_filled_parts(session: AccountSession, parts: Iterable[StoredPart]) -> None:
    """Delete parts with nothing left to fill. One statement."""
    session.each(
        _DELETE_PART, ({"column": part.column_id, "at": part.chunk, "run": part.run_id} for part in parts)
    )


def delete_parts(session: AccountSession, run_id: int) -> None:
    """Delete all parts of a run."""
    session.execute(_DELETE_PARTS, {"run": run_id})

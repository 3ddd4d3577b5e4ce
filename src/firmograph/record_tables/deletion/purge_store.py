"""SQL that deletes what deleted tables and columns leave behind."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession, Row, Session
from firmograph.record_tables.tables import (
    record_table_cells,
    record_table_chunks,
    record_table_columns,
    record_table_run_parts,
    record_table_runs,
    record_tables,
)

_t, _c, _h, _k, _p, _r = (
    record_tables.c,
    record_table_columns.c,
    record_table_chunks.c,
    record_table_cells.c,
    record_table_run_parts.c,
    record_table_runs.c,
)
_account = bindparam("account", type_=sa.BigInteger)
_table = bindparam("table", type_=sa.BigInteger)
# literals match the conditions of partial indexes
_one: sa.ColumnElement[int] = sa.literal_column("1")

_DELETED_TABLE = (
    sa.select(_t.account_id, _t.id, _t.id).where(_t.is_deleted == _one).order_by(_t.id).limit(_one)
)
_DELETED_COLUMN = (
    sa.select(_c.account_id, _c.id, _c.table_id).where(_c.is_deleted == _one).order_by(_c.id).limit(_one)
)
_COLUMNS = sa.select(_c.id).where(_c.account_id == _account, _c.table_id == _table).order_by(_c.id)
_CHUNKS = (
    sa.select(_h.chunk, _h.numbers)
    .where(_h.account_id == _account, _h.table_id == _table)
    .order_by(_h.chunk)
    .limit(bindparam("most"))
)
_CELLS = (
    sa.select(_k.chunk)
    .where(_k.account_id == _account, column_in(_k.column_id, "columns"))
    .order_by(_k.chunk)
    .limit(bindparam("most"))
)
_runs = sa.select(_r.id).where(_r.account_id == _account, _r.table_id == _table)
_RUNS_OF_TABLE = _runs.order_by(_r.id).limit(bindparam("most"))
_RUNS_OF_COLUMN = _RUNS_OF_TABLE.where(_r.column_id == bindparam("column"))
_DELETE_PARTS = sa.delete(record_table_run_parts).where(
    _p.account_id == _account, column_in(_p.run_id, "runs")
)
_DELETE_RUNS = sa.delete(record_table_runs).where(_r.account_id == _account, column_in(_r.id, "runs"))
_DELETE_COLUMNS = sa.delete(record_table_columns).where(
    _c.account_id == _account, column_in(_c.id, "columns")
)
_DELETE_TABLE = sa.delete(record_tables).where(
    _t.account_id == _account, _t.id == _table, _t.is_deleted == _one
)


class Deleted(NamedTuple):
    """Deleted table or column, with its account."""

    account_id: int
    id: int
    table_id: int
    """The table itself, or that of the column."""


def find_deleted_table(session: Session) -> Deleted | None:
    row = session.one(_DELETED_TABLE)
    return Deleted(*row) if row else None


def find_deleted_column(session: Session) -> Deleted | None:
    row = session.one(_DELETED_COLUMN)
    return Deleted(*row) if row else None


def select_column_ids(session: AccountSession, table_id: int) -> list[int]:
    """Return all columns of a table, deleted ones included."""
    return [row[0] for row in session.all(_COLUMNS, {"table": table_id})]


def select_first_chunks(session: AccountSession, table_id: int, most: int) -> dict[int, bytes]:
    """Return the record numbers of the first chunks, as stored."""
    return {row[0]: row[1] for row in session.all(_CHUNKS, {"table": table_id, "most": most})}


def select_cell_chunks(session: AccountSession, columns: Sequence[int], most: int) -> list[int]:
    """Return chunks in which columns have cells."""
    return [row[0] for row in session.all(_CELLS, {"columns": columns, "most": most})] if columns else []


def delete_runs_of_table(session: AccountSession, table_id: int, most: int) -> int:
    """Delete runs of a table with their parts; return their number."""
    return _delete_runs(session, session.all(_RUNS_OF_TABLE, {"table": table_id, "most": most}))


def delete_runs_of_column(session: AccountSession, table_id: int, column_id: int, most: int) -> int:
    """Delete runs of a column with their parts; return their number."""
    given = {"table": table_id, "column": column_id, "most": most}
    return _delete_runs(session, session.all(_RUNS_OF_COLUMN, given))


def _delete_runs(session: AccountSession, found: Sequence[Row]) -> int:
    if runs := [row[0] for row in found]:
        session.execute(_DELETE_PARTS, {"runs": runs})
        session.execute(_DELETE_RUNS, {"runs": runs})
    return len(runs)


def delete_columns(session: AccountSession, columns: Sequence[int]) -> None:
    session.run_in(_DELETE_COLUMNS, "columns", columns)


def delete_table(session: AccountSession, table_id: int) -> None:
    """Delete the row of a deleted table."""
    session.execute(_DELETE_TABLE, {"table": table_id})

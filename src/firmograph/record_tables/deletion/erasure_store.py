"""SQL that finds people, and what names them, in the tables of all accounts.

All functions run in the caller's transaction.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession, Session
from firmograph.record_tables.tables import record_table_rows, record_table_runs, record_tables
from firmograph.record_tables.types import RecordTable, RunState

_t, _r, _u = record_tables.c, record_table_rows.c, record_table_runs.c
_account = bindparam("account", type_=sa.BigInteger)
_ROWS = (
    sa.select(_t.account_id, _t.id, _r.record_id, _r.position)
    .join(record_table_rows, _r.table_id == _t.id)
    .where(_t.entity == bindparam("entity", type_=sa.SmallInteger), column_in(_r.record_id, "numbers"))
)
_RECORDS = (
    sa.select(_r.record_id)
    .join(record_tables, _r.table_id == _t.id)
    .where(
        _t.entity == bindparam("entity", type_=sa.SmallInteger),
        _r.record_id > bindparam("after", type_=sa.BigInteger),
    )
    .distinct()
    .order_by(_r.record_id)
    .limit(bindparam("most", type_=sa.Integer))
)
_TABLE = sa.select(*(_t[name] for name in RecordTable._fields)).where(
    _t.account_id == _account, _t.id == bindparam("table")
)
_VOID_LEASES = (
    sa.update(record_table_runs)
    .where(
        _u.account_id == _account,
        _u.table_id == bindparam("table"),
        column_in(_u.column_id, "columns"),
        _u.state == sa.literal_column(str(int(RunState.OPEN))),
    )
    .values(lease_until=0, fence=_u.fence + 1)
)


class FoundRow(NamedTuple):
    """Record in a table."""

    account_id: int
    table_id: int
    number: int
    position: int


def select_rows(session: Session, entity: int, numbers: Collection[int]) -> list[FoundRow]:
    """Return the rows of these records in all tables, deleted ones included, ordered by account and table."""
    rows = session.all_in(_ROWS, "numbers", sorted(numbers), entity=entity)
    return sorted(map(FoundRow._make, rows))


def select_records(session: Session, entity: int, after: int, most: int) -> list[int]:
    """Return the next records after a number that are rows of any table, by number."""
    return [row[0] for row in session.all(_RECORDS, {"entity": entity, "after": after, "most": most})]


def read_table(session: AccountSession, table_id: int) -> RecordTable:
    """Return a table of the account, also a deleted one."""
    row = session.one(_TABLE, {"table": table_id})
    assert row is not None
    return RecordTable(*row)


def void_leases(session: AccountSession, table_id: int, columns: Sequence[int]) -> None:
    """Void the leases of open runs of columns, so that a worker discards what it has read before."""
    session.run_in(_VOID_LEASES, "columns", columns, table=table_id)

"""SQL on columns."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import AccountSession, Row
from firmograph.database.upsert import insert
from firmograph.record_tables.tables import record_table_columns, record_tables
from firmograph.record_tables.types import ColumnKindName, Counters, TableColumn

_c = record_table_columns.c
_account = bindparam("account", type_=sa.BigInteger)
_live: "sa.ColumnElement[bool]" = _c.is_deleted == sa.literal_column("0")
_NAMES = TableColumn._fields[:-1]
_COLUMNS = [*(_c[name] for name in _NAMES), *(_c[name] for name in Counters._fields)]
_every = (
    sa.select(*_COLUMNS).where(_c.account_id == _account, _c.table_id == bindparam("table")).order_by(_c.id)
)
_EVERY = _every
_OF_TABLE = _every.where(_live)
_FIND = sa.select(*_COLUMNS).where(
    _c.account_id == _account, _c.table_id == bindparam("table"), _c.id == bindparam("column"), _live
)
_IDENTITIES = sa.select(_c.identity, _c.id).where(
    _c.account_id == _account, _c.table_id == bindparam("table"), _live
)
_INSERT = (
    insert(record_table_columns)
    .values(
        account_id=bindparam("account"),
        table_id=bindparam("table"),
        kind=bindparam("kind"),
        key=bindparam("key"),
        identity=bindparam("identity"),
        name=bindparam("name"),
        settings=bindparam("settings"),
        is_default=bindparam("default"),
        is_deleted=0,
        added_at=bindparam("at"),
        updated_at=bindparam("at"),
        not_run=bindparam("rows"),
        processing=0,
        success=0,
        no_data=0,
        failed=0,
    )
    .returning(_c.id)
)
_TOUCH = (
    sa.update(record_table_columns)
    .where(_c.account_id == _account, _c.id == bindparam("column"))
    .values(updated_at=bindparam("at"))
)
_DELETE = (
    sa.update(record_table_columns)
    .where(_c.account_id == _account, _c.id == bindparam("column"), _live)
    .values(is_deleted=1)
)
_ADD_TO_COUNT = (
    sa.update(record_tables)
    .where(record_tables.c.account_id == _account, record_tables.c.id == bindparam("table"))
    .values(column_count=record_tables.c.column_count + bindparam("change"))
)


class NewColumn(NamedTuple):
    kind: ColumnKindName
    key: str | None
    identity: str
    """What no other column of the table has."""
    name: str
    settings: bytes | None = None
    is_default: bool = False


def select_columns(session: AccountSession, table_id: int) -> list[TableColumn]:
    """Return the columns of a table in the order of adding, default ones first. One statement."""
    return [_column(row) for row in session.all(_OF_TABLE, {"table": table_id})]


def select_every_column(session: AccountSession, table_id: int) -> list[TableColumn]:
    """Return the columns of a table with those whose cells are still to be deleted, for `GridEdit`."""
    return [_column(row) for row in session.all(_EVERY, {"table": table_id})]


def find_column(session: AccountSession, table_id: int, column_id: int) -> TableColumn | None:
    row = session.one(_FIND, {"table": table_id, "column": column_id})
    return _column(row) if row else None


def select_identities(session: AccountSession, table_id: int) -> dict[str, int]:
    """Return the numbers of a table's columns by identity. One statement."""
    return {row[0]: row[1] for row in session.all(_IDENTITIES, {"table": table_id})}


def insert_column(session: AccountSession, table_id: int, new: NewColumn, rows: int, at: float) -> int:
    """Insert a column in which nothing was run, of a table with `rows` rows; return its number. Two statements."""
    inserted = session.all(
        _INSERT,
        {
            "table": table_id,
            "kind": new.kind,
            "key": new.key,
            "identity": new.identity,
            "name": new.name,
            "settings": new.settings,
            "default": int(new.is_default),
            "at": at,
            "rows": rows,
        },
    )
    session.execute(_ADD_TO_COUNT, {"table": table_id, "change": 1})
    return int(inserted[0][0])


def touch_column(session: AccountSession, column_id: int, at: float) -> None:
    """Record that cells of the column were written."""
    session.execute(_TOUCH, {"column": column_id, "at": at})


def mark_deleted(session: AccountSession, table_id: int, column_id: int) -> None:
    """Hide a column; its cells are deleted later (`purge.py`)."""
    session.execute(_DELETE, {"column": column_id})
    session.execute(_ADD_TO_COUNT, {"table": table_id, "change": -1})


def _column(row: Row) -> TableColumn:
    count = len(_NAMES)
    return TableColumn._make((*row[:count], Counters._make(row[count:])))

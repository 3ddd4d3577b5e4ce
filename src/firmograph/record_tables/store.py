"""SQL on tables: their names, owners and states."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert
from firmograph.kit.name_keys import name_key
from firmograph.record_tables.tables import record_tables
from firmograph.record_tables.types import RecordTable

_t = record_tables.c
_account = bindparam("account", type_=sa.BigInteger)
_live: "sa.ColumnElement[bool]" = _t.is_deleted == sa.literal_column("0")
_COLUMNS = [_t[name] for name in RecordTable._fields]
_FIND = sa.select(*_COLUMNS).where(_t.account_id == _account, _t.id == bindparam("table"), _live)
_ALL = sa.select(*_COLUMNS).where(_t.account_id == _account, _live).order_by(_t.id.desc())
_ACCOUNT_OF = sa.select(_t.account_id).where(_t.id == bindparam("table"), _live)
_NAMED = sa.select(_t.id).where(
    _t.account_id == _account,
    _t.owner_id == bindparam("owner"),
    _t.entity == bindparam("entity"),
    _t.name_key == bindparam("key"),
    _live,
)
_INSERT = (
    insert(record_tables)
    .values(
        account_id=bindparam("account"),
        entity=bindparam("entity"),
        name=bindparam("name"),
        name_key=bindparam("key"),
        owner_id=bindparam("owner"),
        created_by=bindparam("creator"),
        surface=bindparam("surface"),
        created_at=bindparam("at"),
        is_shared=bindparam("shared"),
        is_archived=0,
        is_deleted=0,
        entity_count=0,
        column_count=0,
        next_position=0,
        open_runs=0,
        removals=0,
    )
    .returning(_t.id)
)
_UPDATE = (
    sa.update(record_tables)
    .where(_t.account_id == _account, _t.id == bindparam("table"), _live)
    .values(
        name=bindparam("name"),
        name_key=bindparam("key"),
        owner_id=bindparam("owner"),
        is_shared=bindparam("shared"),
        is_archived=bindparam("archived"),
    )
)
_DELETE = (
    sa.update(record_tables)
    .where(_t.account_id == _account, _t.id == bindparam("table"), _live)
    .values(is_deleted=1)
)


class NewTable(NamedTuple):
    entity: int
    name: str
    owner_id: int
    """User."""
    surface: str
    is_shared: bool


def find_table(session: AccountSession, table_id: int) -> RecordTable | None:
    """Return a table of the account; None also for a deleted one."""
    row = session.one(_FIND, {"table": table_id})
    return RecordTable(*row) if row else None


def select_tables(session: AccountSession) -> list[RecordTable]:
    """Return all tables of the account, newest first; at most `types.MOST_TABLES`."""
    return [RecordTable(*row) for row in session.all(_ALL)]


def find_account(session: Session, table_id: int) -> int | None:
    """Return the account of a table, for commands of the operator."""
    row = session.one(_ACCOUNT_OF, {"table": table_id})
    return row[0] if row else None


def find_named(session: AccountSession, owner_id: int, entity: int, name: str) -> int | None:
    """Return the table with a name, case aside, among those of an owner and kind."""
    row = session.one(_NAMED, {"owner": owner_id, "entity": entity, "key": name_key(name)})
    return row[0] if row else None


def insert_table(session: AccountSession, new: NewTable, at: float) -> int:
    """Insert an empty table without columns and return its number."""
    rows = session.all(
        _INSERT,
        {
            "entity": new.entity,
            "name": new.name,
            "key": name_key(new.name),
            "owner": new.owner_id,
            "creator": new.owner_id,
            "surface": new.surface,
            "at": at,
            "shared": int(new.is_shared),
        },
    )
    return int(rows[0][0])


def update_table(session: AccountSession, table: RecordTable) -> None:
    """Write name, owner, visibility and archive state."""
    session.execute(
        _UPDATE,
        {
            "table": table.id,
            "name": table.name,
            "key": name_key(table.name),
            "owner": table.owner_id,
            "shared": int(table.is_shared),
            "archived": int(table.is_archived),
        },
    )


def mark_deleted(session: AccountSession, table_id: int) -> None:
    """Hide a table; its rows and cells are deleted later (`purge.py`)."""
    session.execute(_DELETE, {"table": table_id})

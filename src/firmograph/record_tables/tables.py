"""Database tables of record tables, their columns, rows, cells and runs.

Rows have positions 0, 1, ... in the order of adding; a removed row leaves its position empty. 128 positions are a
chunk. Record numbers and cells are stored by chunk, as arrays whose members are at the position within the chunk.
"""

import sqlalchemy as sa

from firmograph.database.columns import account_column, id_column
from firmograph.database.connection import metadata
from firmograph.database.leases import lease_columns

record_tables = sa.Table(
    "record_tables",
    metadata,
    id_column(),
    account_column(),
    sa.Column("entity", sa.SmallInteger, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    # the name casefolded
    sa.Column("name_key", sa.Text, nullable=False),
    # users
    sa.Column("owner_id", sa.BigInteger, nullable=False),
    sa.Column("created_by", sa.BigInteger, nullable=False),
    # api, mcp or workspace
    sa.Column("surface", sa.Text, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("is_shared", sa.SmallInteger, nullable=False),
    sa.Column("is_archived", sa.SmallInteger, nullable=False),
    # 1 until a worker has deleted its rows and cells
    sa.Column("is_deleted", sa.SmallInteger, nullable=False),
    sa.Column("entity_count", sa.BigInteger, nullable=False),
    sa.Column("column_count", sa.BigInteger, nullable=False),
    sa.Column("next_position", sa.BigInteger, nullable=False),
    sa.Column("open_runs", sa.BigInteger, nullable=False),
    sa.Column("removals", sa.BigInteger, nullable=False),
    sa.Index("record_tables_account", "account_id", "id"),
    sa.Index(
        "record_tables_name",
        "account_id",
        "owner_id",
        "entity",
        "name_key",
        unique=True,
        sqlite_where=sa.text("is_deleted = 0"),
        postgresql_where=sa.text("is_deleted = 0"),
    ),
    sa.Index(
        "record_tables_deleted",
        "is_deleted",
        sqlite_where=sa.text("is_deleted = 1"),
        postgresql_where=sa.text("is_deleted = 1"),
    ),
    sqlite_autoincrement=True,
)

record_table_columns = sa.Table(
    "record_table_columns",
    metadata,
    id_column(),
    account_column(),
    sa.Column("table_id", sa.BigInteger, nullable=False),
    # lusha, crm, signal, ai or score
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("key", sa.Text),
    # what no other column of the table has: the key, or the settings
    sa.Column("identity", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("settings", sa.LargeBinary),
    sa.Column("is_default", sa.SmallInteger, nullable=False),
    # 1 until a worker has deleted its cells
    sa.Column("is_deleted", sa.SmallInteger, nullable=False),
    sa.Column("added_at", sa.Double, nullable=False),
    sa.Column("updated_at", sa.Double, nullable=False),
    # cells by shown status; their sum is the table's entity_count
    sa.Column("not_run", sa.BigInteger, nullable=False),
    sa.Column("processing", sa.BigInteger, nullable=False),
    sa.Column("success", sa.BigInteger, nullable=False),
    sa.Column("no_data", sa.BigInteger, nullable=False),
    sa.Column("failed", sa.BigInteger, nullable=False),
    sa.Index("record_table_columns_table", "table_id", "id"),
    sa.Index(
        "record_table_columns_identity",
        "table_id",
        "identity",
        unique=True,
        sqlite_where=sa.text("is_deleted = 0"),
        postgresql_where=sa.text("is_deleted = 0"),
    ),
    sa.Index(
        "record_table_columns_deleted",
        "is_deleted",
        sqlite_where=sa.text("is_deleted = 1"),
        postgresql_where=sa.text("is_deleted = 1"),
    ),
    sqlite_autoincrement=True,
)

record_table_rows = sa.Table(
    "record_table_rows",
    metadata,
    # record first: suppression asks which tables have a person
    sa.Column("record_id", sa.BigInteger, nullable=False),
    sa.Column("table_id", sa.BigInteger, nullable=False),
    account_column(),
    sa.Column("position", sa.BigInteger, nullable=False),
    sa.PrimaryKeyConstraint("record_id", "table_id"),
    sqlite_with_rowid=False,
)

record_table_chunks = sa.Table(
    "record_table_chunks",
    metadata,
    sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("chunk", sa.BigInteger, primary_key=True, autoincrement=False),
    account_column(),
    # number of rows
    sa.Column("count", sa.BigInteger, nullable=False),
    # JSON array of record numbers, null at an empty position
    sa.Column("numbers", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

record_table_cells = sa.Table(
    "record_table_cells",
    metadata,
    sa.Column("column_id", sa.BigInteger, nullable=False),
    sa.Column("chunk", sa.BigInteger, nullable=False),
    account_column(),
    # one letter a position (cells/chunk.py)
    sa.Column("statuses", sa.Text, nullable=False),
    # JSON object of further members of cells, by position within the chunk
    sa.Column("notes", sa.LargeBinary),
    # JSON array of values, null where there is none
    sa.Column("contents", sa.LargeBinary, nullable=False),
    sa.PrimaryKeyConstraint("column_id", "chunk"),
)

record_table_runs = sa.Table(
    "record_table_runs",
    metadata,
    id_column(),
    account_column(),
    sa.Column("table_id", sa.BigInteger, nullable=False),
    sa.Column("column_id", sa.BigInteger, nullable=False),
    # null for one that a command began
    sa.Column("user_id", sa.BigInteger),
    # all, missing or specific
    sa.Column("scope", sa.Text, nullable=False),
    # `types.RunState`
    sa.Column("state", sa.SmallInteger, nullable=False),
    sa.Column("request_id", sa.Text, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("ended_at", sa.Double),
    # cells taken, cells filled by status, and cells yet to be filled by stored status
    sa.Column("taken", sa.BigInteger, nullable=False),
    sa.Column("success", sa.BigInteger, nullable=False),
    sa.Column("no_data", sa.BigInteger, nullable=False),
    sa.Column("failed", sa.BigInteger, nullable=False),
    sa.Column("left_not_run", sa.BigInteger, nullable=False),
    sa.Column("left_success", sa.BigInteger, nullable=False),
    sa.Column("left_no_data", sa.BigInteger, nullable=False),
    sa.Column("left_failed", sa.BigInteger, nullable=False),
    sa.Column("credits", sa.BigInteger, nullable=False),
    sa.Column("most_credits", sa.BigInteger),
    # JSON object of quantities charged, by price key
    sa.Column("quantities", sa.LargeBinary, nullable=False),
    sa.Column("failures", sa.SmallInteger, nullable=False),
    # who pays for it: prefix of the key that began it, `user:NUMBER` or `operator`
    sa.Column("actor", sa.Text, nullable=False, server_default=sa.text("''")),
    *lease_columns(),
    sa.Index("record_table_runs_table", "table_id", "id"),
    sa.Index(
        "record_table_runs_due",
        "due_at",
        sqlite_where=sa.text("state = 1"),
        postgresql_where=sa.text("state = 1"),
    ),
    sqlite_autoincrement=True,
)

record_table_run_parts = sa.Table(
    "record_table_run_parts",
    metadata,
    # cells of one chunk that an open run has yet to fill
    sa.Column("column_id", sa.BigInteger, nullable=False),
    sa.Column("chunk", sa.BigInteger, nullable=False),
    sa.Column("run_id", sa.BigInteger, nullable=False),
    account_column(),
    # one bit a position, little-endian
    sa.Column("taken", sa.LargeBinary, nullable=False),
    sa.PrimaryKeyConstraint("column_id", "chunk", "run_id"),
    sa.Index("record_table_run_parts_run", "run_id", "chunk"),
    sqlite_with_rowid=False,
)

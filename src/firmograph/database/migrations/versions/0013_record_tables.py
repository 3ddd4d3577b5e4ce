"""Tables of records, and the subject of ledger rows."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def _only(condition: str) -> dict[str, Any]:
    """Return the options of an index on some rows."""
    return {f"{database}_where": sa.text(condition) for database in ("sqlite", "postgresql")}


def upgrade() -> None:
    op.create_table(
        "record_table_cells",
        sa.Column("column_id", sa.BigInteger(), nullable=False),
        sa.Column("chunk", sa.BigInteger(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("statuses", sa.Text(), nullable=False),
        sa.Column("notes", sa.LargeBinary(), nullable=True),
        sa.Column("contents", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("column_id", "chunk"),
    )
    op.create_table(
        "record_table_chunks",
        sa.Column("table_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("chunk", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("numbers", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("table_id", "chunk"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "record_table_columns",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("table_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("settings", sa.LargeBinary(), nullable=True),
        sa.Column("is_default", sa.SmallInteger(), nullable=False),
        sa.Column("is_deleted", sa.SmallInteger(), nullable=False),
        sa.Column("added_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.Column("not_run", sa.BigInteger(), nullable=False),
        sa.Column("processing", sa.BigInteger(), nullable=False),
        sa.Column("success", sa.BigInteger(), nullable=False),
        sa.Column("no_data", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "record_table_columns_deleted", "record_table_columns", ["is_deleted"], **_only("is_deleted = 1")
    )
    op.create_index("record_table_columns_table", "record_table_columns", ["table_id", "id"])
    op.create_index(
        "record_table_columns_identity",
        "record_table_columns",
        ["table_id", "identity"],
        unique=True,
        **_only("is_deleted = 0"),
    )
    op.create_table(
        "record_table_rows",
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.Column("table_id", sa.BigInteger(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("record_id", "table_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "record_table_run_parts",
        sa.Column("column_id", sa.BigInteger(), nullable=False),
        sa.Column("chunk", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("taken", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("column_id", "chunk", "run_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("record_table_run_parts_run", "record_table_run_parts", ["run_id", "chunk"])
    op.create_table(
        "record_table_runs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("table_id", sa.BigInteger(), nullable=False),
        sa.Column("column_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("taken", sa.BigInteger(), nullable=False),
        sa.Column("success", sa.BigInteger(), nullable=False),
        sa.Column("no_data", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("left_not_run", sa.BigInteger(), nullable=False),
        sa.Column("left_success", sa.BigInteger(), nullable=False),
        sa.Column("left_no_data", sa.BigInteger(), nullable=False),
        sa.Column("left_failed", sa.BigInteger(), nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.Column("most_credits", sa.BigInteger(), nullable=True),
        sa.Column("quantities", sa.LargeBinary(), nullable=False),
        sa.Column("failures", sa.SmallInteger(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("lease_until", sa.Double(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("record_table_runs_due", "record_table_runs", ["due_at"], **_only("state = 1"))
    op.create_index("record_table_runs_table", "record_table_runs", ["table_id", "id"])
    op.create_table(
        "record_tables",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.BigInteger(), nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("is_shared", sa.SmallInteger(), nullable=False),
        sa.Column("is_archived", sa.SmallInteger(), nullable=False),
        sa.Column("is_deleted", sa.SmallInteger(), nullable=False),
        sa.Column("entity_count", sa.BigInteger(), nullable=False),
        sa.Column("column_count", sa.BigInteger(), nullable=False),
        sa.Column("next_position", sa.BigInteger(), nullable=False),
        sa.Column("open_runs", sa.BigInteger(), nullable=False),
        sa.Column("removals", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("record_tables_account", "record_tables", ["account_id", "id"])
    op.create_index("record_tables_deleted", "record_tables", ["is_deleted"], **_only("is_deleted = 1"))
    op.create_index(
        "record_tables_name",
        "record_tables",
        ["account_id", "owner_id", "entity", "name_key"],
        unique=True,
        **_only("is_deleted = 0"),
    )
    op.add_column("ledger", sa.Column("subject", sa.Text(), server_default=sa.text("''"), nullable=False))


def downgrade() -> None:
    op.drop_column("ledger", "subject")
    for name in (
        "record_tables",
        "record_table_runs",
        "record_table_run_parts",
        "record_table_rows",
        "record_table_columns",
        "record_table_chunks",
        "record_table_cells",
    ):
        op.drop_table(name)

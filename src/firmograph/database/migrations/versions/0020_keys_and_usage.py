"""Terms and last use of keys, who spent credits, daily spending, counts of requests, and positions of pushes."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False))
    op.add_column("api_keys", sa.Column("expires_at", sa.Double(), nullable=True))
    op.add_column("api_keys", sa.Column("daily_credits", sa.BigInteger(), nullable=True))
    op.add_column("api_keys", sa.Column("last_used_at", sa.Double(), nullable=True))
    op.create_table(
        "usage_days",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.Column("errors", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "day", "actor", "operation"),
        sqlite_with_rowid=False,
    )
    op.create_index("usage_days_day", "usage_days", ["day"])

    op.add_column("ledger", sa.Column("actor", sa.Text(), server_default=sa.text("''"), nullable=False))
    op.add_column(
        "record_table_runs", sa.Column("actor", sa.Text(), server_default=sa.text("''"), nullable=False)
    )
    op.create_table(
        "daily_spending",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "actor", "day"),
        sqlite_with_rowid=False,
    )
    op.create_index("daily_spending_day", "daily_spending", ["day"])
    op.create_table(
        "usage_pushes",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("lease_until", sa.Double(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "usage_push_positions",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("name", "account_id"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("usage_push_positions")
    op.drop_table("usage_pushes")
    op.drop_table("daily_spending")
    op.drop_column("record_table_runs", "actor")
    op.drop_column("ledger", "actor")
    op.drop_table("usage_days")
    for column in ("last_used_at", "daily_credits", "expires_at", "name"):
        op.drop_column("api_keys", column)

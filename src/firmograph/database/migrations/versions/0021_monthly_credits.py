"""Periods of monthly credits."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "credit_periods",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("day", sa.SmallInteger(), nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.Column("unused", sa.Text(), nullable=False),
        sa.Column("used_before", sa.BigInteger(), nullable=False),
        sa.Column("renews_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id"),
        sqlite_with_rowid=False,
    )
    condition = sa.text("kind = 'renewal'")
    op.create_index(
        "ledger_renewals",
        "ledger",
        ["account_id", "request_id"],
        unique=True,
        sqlite_where=condition,
        postgresql_where=condition,
    )


def downgrade() -> None:
    op.drop_index("ledger_renewals", "ledger")
    op.drop_table("credit_periods")

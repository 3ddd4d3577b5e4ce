"""Similarity models, and sessions of lookalike calls."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "similarity_models",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("companies", sa.BigInteger(), nullable=False),
        sa.Column("contacts", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_table(
        "lookalike_sessions",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("used_at", sa.Double(), nullable=False),
        sa.Column("results", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "id"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_lookalike_sessions_used_at", "lookalike_sessions", ["used_at"])
    op.create_table(
        "lookalike_results",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("session_id", sa.LargeBinary(), nullable=False),
        sa.Column("part", sa.BigInteger(), nullable=False),
        sa.Column("numbers", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "session_id", "part"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.ForeignKeyConstraint(
            ["account_id", "session_id"],
            ["lookalike_sessions.account_id", "lookalike_sessions.id"],
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("lookalike_results")
    op.drop_table("lookalike_sessions")
    op.drop_table("similarity_models")

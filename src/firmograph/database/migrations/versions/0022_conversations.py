"""Conversations with their transcripts, analyses and word counts, and the settings of accounts for them."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("uuid", sa.LargeBinary(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("version", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("details", sa.LargeBinary(), nullable=False),
        sa.Column("speakers", sa.LargeBinary(), nullable=True),
        sa.Column("imported_at", sa.Double(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("lease_until", sa.Double(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("account_id", "place"),
        sa.UniqueConstraint("account_id", "uuid"),
        sqlite_autoincrement=True,
    )
    op.create_index("conversations_due", "conversations", ["due_at"])
    for name, *columns in (
        ("conversation_transcripts", sa.Column("contents", sa.LargeBinary(), nullable=False)),
        ("conversation_people", sa.Column("digests", sa.LargeBinary(), nullable=False)),
        (
            "conversation_analyses",
            sa.Column("analyser", sa.Text(), nullable=False),
            sa.Column("analysed_at", sa.Double(), nullable=False),
            sa.Column("findings", sa.LargeBinary(), nullable=False),
        ),
    ):
        op.create_table(
            name,
            sa.Column("conversation_id", sa.BigInteger(), autoincrement=False, nullable=False),
            sa.Column("account_id", sa.BigInteger(), nullable=False),
            *columns,
            sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
            sa.PrimaryKeyConstraint("conversation_id"),
        )
    op.create_table(
        "conversation_words",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("field", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("word", sa.Text(), nullable=False),
        sa.Column("block", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "field", "word", "block"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "conversation_blocks",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("block", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("documents", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "block"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "conversation_settings",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("analyser", sa.Text(), nullable=False),
        sa.Column("competitors", sa.Text(), nullable=False),
        sa.Column("tokens_day", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id"),
    )


def downgrade() -> None:
    for name in (
        "conversation_settings",
        "conversation_blocks",
        "conversation_words",
        "conversation_analyses",
        "conversation_people",
        "conversation_transcripts",
        "conversations",
    ):
        op.drop_table(name)

"""Signals, what accounts paid for them, and the facts from which they are detected."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "signals",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("identity", sa.LargeBinary(), nullable=False),
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("entity_id", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.SmallInteger(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("event", sa.LargeBinary(), nullable=False),
        sa.Column("detected_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("identity"),
        sqlite_autoincrement=True,
    )
    op.create_index("signals_record", "signals", ["entity_id", "entity", "type", "day"])
    op.create_index("signals_type", "signals", ["type", "detail", "day"])
    op.create_table(
        "signal_people",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("signal_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", "signal_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_signal_people_signal_id", "signal_people", ["signal_id"])
    op.create_table(
        "paid_signals",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("identity", sa.LargeBinary(), nullable=False),
        sa.Column("paid_at", sa.Double(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "identity"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "signal_feeds",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("as_of", sa.Text(), nullable=True),
        sa.Column("snapshot", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("kind", "source"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "company_figures",
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("company_id", "kind", "source", "day"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "figures_to_judge",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "source", "company_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "job_postings",
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("posting_id", sa.Text(), nullable=False),
        sa.Column("department", sa.Text(), nullable=False),
        sa.Column("seniority", sa.Text(), nullable=True),
        sa.Column("country_code", sa.Text(), nullable=True),
        sa.Column("state_code", sa.Text(), nullable=True),
        sa.Column("country", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("opened", sa.Text(), nullable=False),
        sa.Column("closed", sa.Text(), nullable=True),
        sa.Column("seen", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("company_id", "source", "posting_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "job_weeks",
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("week", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("source", "week"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "job_places",
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("country_code", sa.Text(), nullable=False),
        sa.Column("state_code", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("country", "state"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    for table in (
        "job_places",
        "job_weeks",
        "job_postings",
        "figures_to_judge",
        "company_figures",
        "signal_feeds",
        "paid_signals",
        "signal_people",
        "signals",
    ):
        op.drop_table(table)

"""Data waterfall: enabled providers, asks, jobs, values with keys, misses, recipients and calls."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

_IS_OPEN = sa.text("state = 0")


def upgrade() -> None:
    op.create_table(
        "waterfall_providers",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("emails", sa.SmallInteger(), nullable=False),
        sa.Column("phones", sa.SmallInteger(), nullable=False),
        sa.Column("contact_cap", sa.BigInteger(), nullable=True),
        sa.Column("day_cap", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "provider"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "waterfall_states",
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("rests_until", sa.Double(), nullable=False),
        sa.Column("free_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("provider"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "waterfall_asks",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("contact_id", sa.BigInteger(), nullable=False),
        sa.Column("data_point", sa.SmallInteger(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("daily_credits", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("held", sa.BigInteger(), nullable=False),
        sa.Column("held_at", sa.Double(), nullable=False),
        sa.Column("has_begun", sa.SmallInteger(), nullable=False),
        sa.Column("trail", sa.LargeBinary(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("lease_until", sa.Double(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "waterfall_asks_open",
        "waterfall_asks",
        ["account_id", "contact_id", "data_point"],
        unique=True,
        sqlite_where=_IS_OPEN,
        postgresql_where=_IS_OPEN,
    )
    op.create_index(
        "waterfall_asks_due", "waterfall_asks", ["due_at"], sqlite_where=_IS_OPEN, postgresql_where=_IS_OPEN
    )
    op.create_index("waterfall_asks_contact", "waterfall_asks", ["contact_id"])
    op.create_index("waterfall_asks_ended", "waterfall_asks", ["ended_at"])
    op.create_table(
        "waterfall_jobs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("data_points", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("waterfall_jobs_token", "waterfall_jobs", ["account_id", "token"], unique=True)
    op.create_index("waterfall_jobs_created", "waterfall_jobs", ["created_at"])
    op.create_table(
        "waterfall_job_asks",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ask_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("is_own", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "job_id", "ask_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "waterfall_values",
        sa.Column("contact_id", sa.BigInteger(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("data_point", sa.SmallInteger(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("contents", sa.LargeBinary(), nullable=False),
        sa.Column("found_at", sa.Double(), nullable=False),
        sa.Column("paid_at", sa.Double(), nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("contact_id", "account_id", "data_point"),
        sqlite_with_rowid=False,
    )
    op.create_index("waterfall_values_account", "waterfall_values", ["account_id"])
    op.create_table(
        "waterfall_value_keys",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("contact_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("data_point", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("digest", "contact_id", "account_id", "data_point"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "waterfall_value_keys_contact", "waterfall_value_keys", ["contact_id", "account_id", "data_point"]
    )
    op.create_index("waterfall_value_keys_account", "waterfall_value_keys", ["account_id"])
    op.create_table(
        "waterfall_misses",
        sa.Column("contact_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("data_point", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("contact_id", "data_point", "provider"),
        sqlite_with_rowid=False,
    )
    op.create_index("waterfall_misses_at", "waterfall_misses", ["at"])
    op.create_table(
        "waterfall_recipients",
        sa.Column("contact_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("first_at", sa.Double(), nullable=False),
        sa.Column("last_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("contact_id", "provider"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "waterfall_calls",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("data_point", sa.SmallInteger(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("matched", sa.SmallInteger(), nullable=False),
        sa.Column("milliseconds", sa.BigInteger(), nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("waterfall_calls_account", "waterfall_calls", ["account_id", "at"])
    op.create_index("waterfall_calls_at", "waterfall_calls", ["at"])


def downgrade() -> None:
    for table in (
        "waterfall_calls",
        "waterfall_recipients",
        "waterfall_misses",
        "waterfall_value_keys",
        "waterfall_values",
        "waterfall_job_asks",
        "waterfall_jobs",
        "waterfall_asks",
        "waterfall_states",
        "waterfall_providers",
    ):
        op.drop_table(table)

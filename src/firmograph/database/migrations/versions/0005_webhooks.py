"""Webhooks, holds of credits, and signals of which webhooks do not tell."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("signals", sa.Column("quiet", sa.SmallInteger(), server_default="0", nullable=False))
    _remake_balances(
        sa.Column("held", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("used >= 0 AND held >= 0 AND used + held <= granted", name="balances_covered"),
        columns="account_id, granted, used, held",
        kept="account_id, granted, used, 0",
    )
    op.create_index(
        "ledger_captures",
        "ledger",
        ["account_id", "request_id"],
        unique=True,
        sqlite_where=sa.text("kind = 'capture'"),
        postgresql_where=sa.text("kind = 'capture'"),
    )
    op.create_table(
        "fanout_positions",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("signal_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "audit_logs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("subscription", sa.Text(), nullable=False),
        sa.Column("payload_id", sa.Text(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("acknowledgement", sa.LargeBinary(), nullable=True),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("audit_logs_account", "audit_logs", ["account_id", "id"], unique=False)
    op.create_index("audit_logs_age", "audit_logs", ["status", "at"], unique=False)
    op.create_index(
        "audit_logs_subscription", "audit_logs", ["account_id", "subscription", "id"], unique=False
    )
    _partial_index("audit_logs_failed", "audit_logs", ["account_id", "id"], "status = 2")
    _partial_index("audit_logs_ended", "audit_logs", ["account_id", "id"], "status = 3")
    op.create_table(
        "audit_totals",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("subscription", sa.Text(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "subscription", "status"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("payload_id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("subscription_id", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("signal_id", sa.BigInteger(), nullable=True),
        sa.Column("identity", sa.LargeBinary(), nullable=True),
        sa.Column("held", sa.BigInteger(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.Column("withheld_at", sa.Double(), nullable=True),
        sa.Column("failed_at", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("payload_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("deliveries_account", "deliveries", ["account_id"], unique=False)
    op.create_index(
        "deliveries_cancelled",
        "deliveries",
        ["account_id"],
        unique=False,
        sqlite_where=sa.text("state = 3"),
        postgresql_where=sa.text("state = 3"),
    )
    _partial_index("deliveries_withheld", "deliveries", ["withheld_at"], "withheld_at IS NOT NULL")
    _partial_index("deliveries_failed", "deliveries", ["failed_at"], "state = 2")
    _partial_index("deliveries_opt_outs", "deliveries", ["made_at"], "signal_id IS NULL")
    op.create_index("deliveries_of_signal", "deliveries", ["signal_id"], unique=False)
    op.create_index("deliveries_queue", "deliveries", ["subscription_id", "state", "id"], unique=False)
    op.create_index("deliveries_signal", "deliveries", ["subscription_id", "signal_id"], unique=True)
    op.create_table(
        "partner_reveals",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.Column("partner", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("first_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("account_id", "record_id", "partner", "unit"),
        sqlite_with_rowid=False,
    )
    op.create_index("partner_reveals_record", "partner_reveals", ["record_id"], unique=False)
    op.create_table(
        "subscriptions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("entity_id", sa.BigInteger(), nullable=True),
        sa.Column("named", sa.Text(), nullable=False),
        sa.Column("types", sa.Text(), nullable=False),
        sa.Column("partner", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("active", sa.SmallInteger(), nullable=False),
        sa.Column("block_reason", sa.Text(), nullable=True),
        sa.Column("blocked_at", sa.Double(), nullable=True),
        sa.Column("disabled_at", sa.Double(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.Column("after_signal", sa.BigInteger(), nullable=False),
        sa.Column("queued", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), nullable=False),
        sa.Column("needs", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("lease_until", sa.Double(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token"),
        sqlite_autoincrement=True,
    )
    op.create_index("subscriptions_account", "subscriptions", ["account_id", "id"], unique=False)
    op.create_index(
        "subscriptions_due",
        "subscriptions",
        ["due_at"],
        unique=False,
        sqlite_where=sa.text("queued > 0 AND active = 1"),
        postgresql_where=sa.text("queued > 0 AND active = 1"),
    )
    op.create_index(
        "subscriptions_leased",
        "subscriptions",
        ["account_id", "origin"],
        unique=False,
        sqlite_where=sa.text("lease_until > 0"),
        postgresql_where=sa.text("lease_until > 0"),
    )
    op.create_index(
        "subscriptions_partner",
        "subscriptions",
        ["account_id", "partner"],
        unique=True,
        sqlite_where=sa.text("entity_id IS NULL"),
        postgresql_where=sa.text("entity_id IS NULL"),
    )
    op.create_index(
        "subscriptions_record", "subscriptions", ["entity_id", "entity", "account_id"], unique=True
    )
    op.create_index(
        "subscriptions_retrying",
        "subscriptions",
        ["account_id", "url"],
        unique=False,
        sqlite_where=sa.text("attempts > 0"),
        postgresql_where=sa.text("attempts > 0"),
    )
    op.create_table(
        "webhook_secrets",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("changed_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("account_id"),
    )


def downgrade() -> None:
    for table in (
        "partner_reveals",
        "fanout_positions",
        "audit_totals",
        "audit_logs",
        "deliveries",
        "subscriptions",
        "webhook_secrets",
    ):
        op.drop_table(table)
    op.drop_index("ledger_captures", "ledger")
    _remake_balances(
        sa.CheckConstraint("used >= 0 AND used <= granted", name="balances_covered"),
        columns="account_id, granted, used",
        kept="account_id, granted, used",
    )
    op.drop_column("signals", "quiet")


def _partial_index(name: str, table: str, columns: list[str], where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def _remake_balances(*changed: "sa.Column[int] | sa.CheckConstraint", columns: str, kept: str) -> None:
    """SQLite changes no constraint of a table that is there. What was held goes back to what remains."""
    op.execute("CREATE TEMPORARY TABLE kept_balances AS SELECT * FROM balances")
    op.drop_table("balances")
    op.create_table(
        "balances",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("granted", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        *changed,
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id"),
    )
    op.execute(f"INSERT INTO balances ({columns}) SELECT {kept} FROM kept_balances")
    op.execute("DROP TABLE kept_balances")

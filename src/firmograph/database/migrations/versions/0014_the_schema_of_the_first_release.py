"""The schema of the first release."""

import secrets

import sqlalchemy as sa
from alembic import op

from firmograph.database.schema import RULES

revision = "0014"
down_revision = None

_LEDGER_GUARDS = {
    "sqlite": [
        f"CREATE TRIGGER ledger_no_{verb.lower()} BEFORE {verb} ON ledger "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
        for verb in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        "CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN RAISE EXCEPTION ''the ledger is append-only''; END'",
        "CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger "
        "FOR EACH ROW EXECUTE FUNCTION ledger_refuse()",
    ],
}

# A writer of changes announces, before it takes its first number of the sequence, after which number its own will come:
# it holds a lock with that number until it ends. Readers stop before the lowest of these (indexing/store.py). Its later
# statements need not announce it again, and thousands of them would fill the server's table of locks.
_ANNOUNCEMENT = [
    """
CREATE FUNCTION changes_announce() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    place bigint;
BEGIN
    IF current_setting('firmograph.announced', true) = 'yes' THEN
        RETURN NULL;
    END IF;
    SELECT last_value INTO place FROM changes_sequence_seq;
    PERFORM pg_advisory_xact_lock_shared((70::bigint << 56) | place);
    PERFORM set_config('firmograph.announced', 'yes', true);
    RETURN NULL;
END $$
""",
    """
CREATE TRIGGER changes_announced BEFORE INSERT ON changes FOR EACH STATEMENT EXECUTE FUNCTION changes_announce()
""",
]
_TRIGGERS = {
    "sqlite": _LEDGER_GUARDS["sqlite"],
    "postgresql": [*_LEDGER_GUARDS["postgresql"], *_ANNOUNCEMENT],
}


def create_partial_index(
    name: str, table: str, columns: list[str], where: str, *, unique: bool = False
) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition)


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("active", sa.SmallInteger(), nullable=False),
        sa.Column("can_reveal", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("plan_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "changes",
        sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("entity_id", sa.BigInteger(), nullable=False),
        sa.Column("removed", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("sequence"),
    )
    create_partial_index("changes_removed", "changes", ["removed", "sequence"], "removed = 1")
    op.create_table(
        "companies",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("card", sa.LargeBinary(), nullable=False),
        sa.Column("preview", sa.LargeBinary(), nullable=False),
        sa.Column("profile", sa.LargeBinary(), nullable=False),
        sa.Column("premium", sa.LargeBinary(), nullable=True),
        sa.Column("extras", sa.LargeBinary(), nullable=True),
        sa.Column("partial", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
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
        "company_keys",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", "company_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "company_parents",
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.Column("parent_id", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("company_id", "parent_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "company_rows",
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("version", sa.LargeBinary(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("employer_id", sa.BigInteger(), nullable=True),
        sa.Column("row", sa.LargeBinary(), nullable=True),
        sa.Column("history", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("company_id", "source", "source_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "contact_keys",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("contact_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", "contact_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "contact_rows",
        sa.Column("contact_id", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("version", sa.LargeBinary(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("employer_id", sa.BigInteger(), nullable=True),
        sa.Column("row", sa.LargeBinary(), nullable=True),
        sa.Column("history", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("contact_id", "source", "source_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "contacts",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("company_id", sa.BigInteger(), nullable=True),
        sa.Column("preview", sa.LargeBinary(), nullable=False),
        sa.Column("profile", sa.LargeBinary(), nullable=False),
        sa.Column("emails", sa.LargeBinary(), nullable=True),
        sa.Column("phones", sa.LargeBinary(), nullable=True),
        sa.Column("extras", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "counters",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "duties",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("lease_until", sa.Double(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("name"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "fanout_positions",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("signal_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "figures_to_judge",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "source", "company_id"),
        sqlite_with_rowid=False,
    )
    installation = op.create_table(
        "installation",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
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
        "record_splits",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
        sqlite_with_rowid=False,
    )
    op.create_index("record_splits_record", "record_splits", ["entity", "record_id"])
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
        "signal_people",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("signal_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", "signal_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_signal_people_signal_id", "signal_people", ["signal_id"])
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
        sa.Column("quiet", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("ahead", sa.SmallInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("identity"),
        sqlite_autoincrement=True,
    )
    op.create_index("signals_record", "signals", ["entity_id", "entity", "type", "day"])
    op.create_index("signals_type", "signals", ["type", "detail", "day"])
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
        "sources",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "suppressions",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("person", sa.LargeBinary(), nullable=False),
        sa.Column("strong", sa.SmallInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", "person"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_suppressions_person", "suppressions", ["person"])
    op.create_table(
        "api_keys",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("revoked_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("digest"),
        sqlite_with_rowid=False,
    )
    op.create_index("api_keys_account", "api_keys", ["account_id"])
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
        sa.Column("response_ms", sa.Integer(), nullable=True),
        sa.Column("is_test", sa.SmallInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("audit_logs_account", "audit_logs", ["account_id", "at", "id"])
    op.create_index("audit_logs_age", "audit_logs", ["status", "at"])
    create_partial_index("audit_logs_ended", "audit_logs", ["account_id", "at", "id"], "status = 3")
    create_partial_index("audit_logs_failed", "audit_logs", ["account_id", "at", "id"], "status = 2")
    op.create_index("audit_logs_subscription", "audit_logs", ["account_id", "subscription", "at", "id"])
    op.create_table(
        "audit_totals",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("subscription", sa.Text(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.Column("tests", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "subscription", "status"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "balances",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("granted", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.Column("held", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("used >= 0 AND held >= 0 AND used + held <= granted", name="balances_covered"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id"),
    )
    op.create_table(
        "coming_deliveries",
        sa.Column("payload_id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("subscription_id", sa.BigInteger(), nullable=False),
        sa.Column("signal_id", sa.BigInteger(), nullable=False),
        sa.Column("identity", sa.LargeBinary(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("payload_id"),
    )
    op.create_index("coming_deliveries_account", "coming_deliveries", ["account_id"])
    op.create_index("coming_deliveries_due", "coming_deliveries", ["due_at"])
    op.create_index("coming_deliveries_signal", "coming_deliveries", ["signal_id"])
    op.create_index("coming_deliveries_subscription", "coming_deliveries", ["subscription_id"])
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
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("payload_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("deliveries_account", "deliveries", ["account_id"])
    create_partial_index("deliveries_cancelled", "deliveries", ["account_id"], "state = 3")
    create_partial_index("deliveries_failed", "deliveries", ["failed_at"], "state = 2")
    op.create_index("deliveries_of_signal", "deliveries", ["signal_id"])
    create_partial_index("deliveries_opt_outs", "deliveries", ["made_at"], "signal_id IS NULL")
    op.create_index("deliveries_queue", "deliveries", ["subscription_id", "state", "id"])
    op.create_index("deliveries_signal", "deliveries", ["subscription_id", "signal_id"], unique=True)
    create_partial_index("deliveries_withheld", "deliveries", ["withheld_at"], "withheld_at IS NOT NULL")
    op.create_table(
        "idempotency_keys",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body_hash", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("kept", sa.LargeBinary(), nullable=False),
        sa.Column("table_write", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "path", "key"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_idempotency_keys_expires_at", "idempotency_keys", ["expires_at"])
    op.create_table(
        "ledger",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("quantity", sa.BigInteger(), nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.Column("balance", sa.BigInteger(), nullable=False),
        sa.Column("subject", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ledger_account", "ledger", ["account_id", "id"])
    create_partial_index(
        "ledger_captures", "ledger", ["account_id", "request_id"], "kind = 'capture'", unique=True
    )
    op.create_table(
        "lookalike_sessions",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("used_at", sa.Double(), nullable=False),
        sa.Column("results", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "id"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_lookalike_sessions_used_at", "lookalike_sessions", ["used_at"])
    op.create_table(
        "paid_units",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.Column("unit", sa.LargeBinary(), nullable=False),
        sa.Column("first_paid_at", sa.Double(), nullable=False),
        sa.Column("paid_at", sa.Double(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("record_id", "kind", "account_id", "unit"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "partner_reveals",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.Column("partner", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("first_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "record_id", "partner", "unit"),
        sqlite_with_rowid=False,
    )
    op.create_index("partner_reveals_record", "partner_reveals", ["record_id"])
    op.create_table(
        "rate_counters",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("window", sa.Text(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "window"),
        sqlite_with_rowid=False,
    )
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
    create_partial_index(
        "record_table_columns_deleted", "record_table_columns", ["is_deleted"], "is_deleted = 1"
    )
    create_partial_index(
        "record_table_columns_identity",
        "record_table_columns",
        ["table_id", "identity"],
        "is_deleted = 0",
        unique=True,
    )
    op.create_index("record_table_columns_table", "record_table_columns", ["table_id", "id"])
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
    create_partial_index("record_table_runs_due", "record_table_runs", ["due_at"], "state = 1")
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
    create_partial_index("record_tables_deleted", "record_tables", ["is_deleted"], "is_deleted = 1")
    create_partial_index(
        "record_tables_name",
        "record_tables",
        ["account_id", "owner_id", "entity", "name_key"],
        "is_deleted = 0",
        unique=True,
    )
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
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token"),
        sqlite_autoincrement=True,
    )
    op.create_index("subscriptions_account", "subscriptions", ["account_id", "id"])
    create_partial_index("subscriptions_due", "subscriptions", ["due_at"], "queued > 0 AND active = 1")
    create_partial_index("subscriptions_leased", "subscriptions", ["account_id", "origin"], "lease_until > 0")
    create_partial_index(
        "subscriptions_partner", "subscriptions", ["account_id", "partner"], "entity_id IS NULL", unique=True
    )
    op.create_index(
        "subscriptions_record", "subscriptions", ["entity_id", "entity", "account_id"], unique=True
    )
    create_partial_index("subscriptions_retrying", "subscriptions", ["account_id", "url"], "attempts > 0")
    op.create_table(
        "users",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("account_id", "email"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "webhook_secrets",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("changed_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id"),
    )
    op.create_table(
        "lookalike_results",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("session_id", sa.LargeBinary(), nullable=False),
        sa.Column("part", sa.BigInteger(), nullable=False),
        sa.Column("numbers", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id", "session_id"],
            ["lookalike_sessions.account_id", "lookalike_sessions.id"],
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "session_id", "part"),
        sqlite_with_rowid=False,
    )
    for statement in _TRIGGERS[op.get_bind().dialect.name]:
        op.execute(statement)
    identity = secrets.token_hex(16)
    facts = {"identity": identity, "origin": identity, "rules": RULES}
    op.bulk_insert(installation, [{"name": name, "value": value} for name, value in facts.items()])

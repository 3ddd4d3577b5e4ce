"""The initial schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
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
        sa.PrimaryKeyConstraint("sequence"),
    )
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
        "installation",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
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
    op.create_index("ix_suppressions_person", "suppressions", ["person"], unique=False)
    op.create_table(
        "api_keys",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("revoked_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("digest"),
        sqlite_with_rowid=False,
    )
    op.create_index("api_keys_account", "api_keys", ["account_id"], unique=False)
    op.create_table(
        "balances",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("granted", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("used >= 0 AND used <= granted", name="balances_covered"),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("account_id"),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body_hash", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("kept", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("account_id", "path", "key"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_idempotency_keys_expires_at", "idempotency_keys", ["expires_at"], unique=False)
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
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ledger_account", "ledger", ["account_id", "id"], unique=False)
    op.create_table(
        "paid_units",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("first_paid_at", sa.Double(), nullable=False),
        sa.Column("paid_at", sa.Double(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("account_id", "entity", "record_id", "unit"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rate_counters",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("window", sa.Text(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("account_id", "window"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "users",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("account_id", "email"),
        sqlite_autoincrement=True,
    )
    for statement in _LEDGER_GUARDS[op.get_bind().dialect.name]:
        op.execute(statement)

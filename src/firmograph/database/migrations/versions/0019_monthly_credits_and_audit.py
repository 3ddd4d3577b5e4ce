"""Periods of monthly credits, the audit of operators' actions, and closed accounts."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

_AUDIT_GUARDS = {
    "sqlite": [
        f"CREATE TRIGGER operator_actions_no_{verb.lower()} BEFORE {verb} ON operator_actions "
        "BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END"
        for verb in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        "CREATE OR REPLACE FUNCTION operator_actions_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN RAISE EXCEPTION ''the audit is append-only''; END'",
        "CREATE TRIGGER operator_actions_append_only BEFORE UPDATE OR DELETE ON operator_actions "
        "FOR EACH ROW EXECUTE FUNCTION operator_actions_refuse()",
    ],
}


def upgrade() -> None:
    op.add_column("accounts", sa.Column("closed_at", sa.Double(), nullable=True))
    op.add_column("accounts", sa.Column("erased_at", sa.Double(), nullable=True))
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
    op.create_table(
        "operator_actions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("token", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("person", sa.LargeBinary(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token"),
        sqlite_autoincrement=True,
    )
    op.create_index("operator_actions_account", "operator_actions", ["account", "id"])
    for statement in _AUDIT_GUARDS[op.get_bind().dialect.name]:
        op.execute(statement)


def downgrade() -> None:
    op.drop_table("operator_actions")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION operator_actions_refuse()")
    op.drop_index("ledger_renewals", "ledger")
    op.drop_table("credit_periods")
    op.drop_column("accounts", "erased_at")
    op.drop_column("accounts", "closed_at")

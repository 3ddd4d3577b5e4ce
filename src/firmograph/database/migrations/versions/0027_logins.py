"""Logins with their sessions and links, failed attempts, and the activity of an account's users."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.create_index("users_email", "users", ["email"])
    op.create_table(
        "account_activities",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("account_activities_account", "account_activities", ["account_id", "id"])
    op.create_index("ix_account_activities_at", "account_activities", ["at"])
    op.create_table(
        "logins",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("operator", sa.SmallInteger(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("password_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("email"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "login_sessions",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("login_id", sa.BigInteger(), nullable=False),
        sa.Column("chosen_account", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("used_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["login_id"], ["logins.id"]),
        sa.PrimaryKeyConstraint("digest"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_login_sessions_login_id", "login_sessions", ["login_id"])
    op.create_index("ix_login_sessions_used_at", "login_sessions", ["used_at"])
    op.create_table(
        "login_links",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("into_account", sa.BigInteger(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_login_links_into_account", "login_links", ["into_account"])
    op.create_index("ix_login_links_expires_at", "login_links", ["expires_at"])
    op.create_table(
        "login_failures",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("email", sa.LargeBinary(), nullable=False),
        sa.Column("network", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    for column in ("email", "network", "at"):
        op.create_index(f"ix_login_failures_{column}", "login_failures", [column])


def downgrade() -> None:
    for table in ("login_failures", "login_links", "login_sessions", "logins", "account_activities"):
        op.drop_table(table)
    op.drop_index("users_email", "users")

"""Website visits: sites, page views, sessions, owners and salts; networks."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.create_table(
        "visit_sites",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("intent", sa.Text(), nullable=False),
        sa.Column("customers", sa.Text(), nullable=True),
        sa.Column("zone", sa.Text(), nullable=True),
        sa.Column("excluded", sa.Text(), nullable=False),
        sa.Column("tracked_at", sa.Double(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("account_id", "domain"),
        sqlite_autoincrement=True,
    )
    op.create_index("visit_sites_domain", "visit_sites", ["domain"])
    op.create_table(
        "visit_page_views",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("visitor", sa.LargeBinary(), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("page_views", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "site_id", "visitor", "day"),
        sqlite_with_rowid=False,
    )
    op.create_index("visit_page_views_day", "visit_page_views", ["account_id", "site_id", "day"])
    op.create_table(
        "visit_sessions",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sessions", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("account_id", "site_id", "day"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "visit_owners",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("account_id", "site_id", "kind", "key", "confidence"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "visit_salts",
        sa.Column("quarter", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=True),
        sa.Column("destroy_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("quarter"),
    )
    op.create_table(
        "network_sources",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.LargeBinary(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("loaded_at", sa.Double(), nullable=False),
        sa.Column("networks", sa.BigInteger(), nullable=False),
        sa.Column("companies", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "network_parts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("part", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("contents", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", "part"),
    )


def downgrade() -> None:
    for table in (
        *("network_parts", "network_sources", "visit_salts", "visit_owners"),
        *("visit_sessions", "visit_page_views", "visit_sites"),
    ):
        op.drop_table(table)

"""Imports, and what their undo needs."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "imports",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("mapping", sa.Text()),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double()),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("alive_until", sa.Double(), nullable=False),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.Column("undo", sa.Text()),
        sa.Column("kept", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("imports_source", "imports", ["source", "id"])
    op.create_table(
        "import_records",
        sa.Column("import_id", sa.BigInteger(), nullable=False),
        sa.Column("part", sa.BigInteger(), nullable=False),
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("role", sa.SmallInteger(), nullable=False),
        sa.Column("numbers", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("import_id", "part", "entity", "role"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "import_former_rows",
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("import_id", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.LargeBinary()),
        sa.Column("day", sa.Text()),
        sa.Column("employer_id", sa.BigInteger()),
        sa.Column("row", sa.LargeBinary()),
        sa.Column("history", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("entity", "record_id", "source", "source_id", "import_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("import_former_rows_import", "import_former_rows", ["import_id"])


def downgrade() -> None:
    for name in ("import_former_rows", "import_records", "imports"):
        op.drop_table(name)

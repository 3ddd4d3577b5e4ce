"""Sources that state a signal, and the import that did so first."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "signal_statements",
        sa.Column("signal_id", sa.BigInteger(), nullable=False),
        sa.Column("stated_by", sa.Integer(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("import_id", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("signal_id", "stated_by", "source"),
        sqlite_with_rowid=False,
    )
    op.create_index("signal_statements_source", "signal_statements", ["source", "signal_id"])
    listed = sa.text("import_id IS NOT NULL")
    op.create_index(
        "signal_statements_import",
        "signal_statements",
        ["import_id"],
        sqlite_where=listed,
        postgresql_where=listed,
    )


def downgrade() -> None:
    op.drop_table("signal_statements")

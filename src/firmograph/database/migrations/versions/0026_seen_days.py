"""Contacts that complete imports of a source lacked, by which retention removes them."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "import_sightings",
        sa.Column("import_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("complete", sa.SmallInteger(), nullable=False),
        sa.Column("numbers", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("import_id"),
    )


def downgrade() -> None:
    op.drop_table("import_sightings")

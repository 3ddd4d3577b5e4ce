"""Rows that an operator split from a record stay apart."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "record_splits",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
        sqlite_with_rowid=False,
    )
    op.create_index("record_splits_record", "record_splits", ["entity", "record_id"])


def downgrade() -> None:
    op.drop_table("record_splits")

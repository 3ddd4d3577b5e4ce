"""Do-not-call registry, and hashes of deletion lists."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.create_table(
        "do_not_call_numbers",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "deletion_hashes",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("deletion_hashes")
    op.drop_table("do_not_call_numbers")

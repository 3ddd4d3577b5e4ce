"""Signals know whether their day was still to come when they were detected, and their deliveries wait for it."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("signals", sa.Column("ahead", sa.SmallInteger(), server_default="0", nullable=False))
    # of the others the day has come since
    op.execute(
        sa.text("UPDATE signals SET ahead = 1 WHERE day > :today").bindparams(
            today=datetime.now(UTC).date().isoformat()
        )
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
    for column in ("account_id", "due_at", "signal_id", "subscription_id"):
        name = column.removesuffix("_id").removesuffix("_at")
        op.create_index(f"coming_deliveries_{name}", "coming_deliveries", [column])


def downgrade() -> None:
    op.drop_table("coming_deliveries")
    op.drop_column("signals", "ahead")

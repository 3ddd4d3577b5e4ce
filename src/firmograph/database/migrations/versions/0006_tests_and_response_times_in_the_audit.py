"""The audit knows tests and response times, and is read by the time of delivery."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("audit_logs", sa.Column("response_ms", sa.Integer(), nullable=True))
    op.add_column("audit_logs", sa.Column("is_test", sa.SmallInteger(), server_default="0", nullable=False))
    op.add_column("audit_totals", sa.Column("tests", sa.BigInteger(), server_default="0", nullable=False))
    _index_audit("at", "id")


def downgrade() -> None:
    _index_audit("id")
    op.drop_column("audit_totals", "tests")
    op.drop_column("audit_logs", "is_test")
    op.drop_column("audit_logs", "response_ms")


def _index_audit(*order: str) -> None:
    """Make the indexes of the audit again, in another order of its rows."""
    for name, columns, where in (
        ("audit_logs_account", ("account_id",), None),
        ("audit_logs_subscription", ("account_id", "subscription"), None),
        ("audit_logs_failed", ("account_id",), "status = 2"),
        ("audit_logs_ended", ("account_id",), "status = 3"),
    ):
        condition = sa.text(where) if where else None
        op.drop_index(name, "audit_logs")
        op.create_index(
            name,
            "audit_logs",
            [*columns, *order],
            sqlite_where=condition,
            postgresql_where=condition,
        )

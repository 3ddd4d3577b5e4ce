"""Paid data points and paid signals are paid units of a kind, in one table."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_EVENT = 3
"""`billing.paid_units.UnitKind` of signals; those of data points are the numbers of their entities."""
_TO_BYTES = {"sqlite": "CAST(unit AS BLOB)", "postgresql": "convert_to(unit, 'UTF8')"}
_TO_TEXT = {"sqlite": "CAST(unit AS TEXT)", "postgresql": "convert_from(unit, 'UTF8')"}
_PAID = "first_paid_at, paid_at, request_id"


def _create(key: Sequence[str], *columns: "sa.Column[int] | sa.Column[str] | sa.Column[bytes]") -> None:
    op.create_table(
        "paid_units",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        *columns,
        sa.Column("first_paid_at", sa.Double(), nullable=False),
        sa.Column("paid_at", sa.Double(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(*key),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sqlite_with_rowid=False,
    )


def _set_aside() -> None:
    """Move the rows to a temporary table, so that the new table and its constraints get the same names."""
    op.execute("CREATE TEMPORARY TABLE former_paid_units AS SELECT * FROM paid_units")
    op.drop_table("paid_units")


def upgrade() -> None:
    to_bytes = _TO_BYTES[op.get_bind().dialect.name]
    _set_aside()
    _create(
        ("record_id", "kind", "account_id", "unit"),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.Column("unit", sa.LargeBinary(), nullable=False),
    )
    op.execute(
        f"INSERT INTO paid_units (account_id, kind, record_id, unit, {_PAID})"
        f" SELECT account_id, entity, record_id, {to_bytes}, {_PAID} FROM former_paid_units"
    )
    op.execute(
        f"INSERT INTO paid_units (account_id, kind, record_id, unit, {_PAID})"
        f" SELECT account_id, {_EVENT}, 0, identity, paid_at, paid_at, request_id FROM paid_signals"
    )
    op.execute("DROP TABLE former_paid_units")
    op.drop_table("paid_signals")


def downgrade() -> None:
    to_text = _TO_TEXT[op.get_bind().dialect.name]
    _set_aside()
    _create(
        ("account_id", "entity", "record_id", "unit"),
        sa.Column("entity", sa.SmallInteger(), nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
    )
    op.create_table(
        "paid_signals",
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("identity", sa.LargeBinary(), nullable=False),
        sa.Column("paid_at", sa.Double(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "identity"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"]),
        sqlite_with_rowid=False,
    )
    op.execute(
        f"INSERT INTO paid_units (account_id, entity, record_id, unit, {_PAID})"
        f" SELECT account_id, kind, record_id, {to_text}, {_PAID} FROM former_paid_units WHERE kind < {_EVENT}"
    )
    op.execute(
        "INSERT INTO paid_signals (account_id, identity, paid_at, request_id)"
        f" SELECT account_id, unit, paid_at, request_id FROM former_paid_units WHERE kind = {_EVENT}"
    )
    op.execute("DROP TABLE former_paid_units")

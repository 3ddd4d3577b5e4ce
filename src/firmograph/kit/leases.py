"""Leases on rows: a queue is a state of rows, and a worker claims some of them for a while (design, section 1).

A row is due from `due_at` on, and free unless a lease on it runs. Every claim raises the row's fencing number:
what a worker does under a claim counts only while that number is still the row's (decisions G, Leases), so one
that was stopped past its lease and goes on later changes nothing.
"""

from typing import Any, Final

import sqlalchemy as sa

LEASE_SECONDS: Final = 30.0
"""How long a claim keeps others away; after that, whoever held it is taken for dead."""


def lease_columns() -> tuple["sa.Column[Any]", ...]:
    """The columns of a table whose rows are claimed. A free row has `lease_until` 0."""
    return (
        sa.Column("due_at", sa.Double, nullable=False),
        sa.Column("lease_until", sa.Double, nullable=False),
        # how often the row was claimed
        sa.Column("fence", sa.BigInteger, nullable=False),
    )

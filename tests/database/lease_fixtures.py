"""A table whose rows are claimed, in the database of a test."""

from collections.abc import Mapping

import sqlalchemy as sa

from firmograph.database.connection import Database
from firmograph.database.leases import Leases, lease_columns

errands = sa.Table(
    "errands",
    sa.MetaData(),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    *lease_columns(),
)
leases: Leases[int] = Leases(errands)

_CLEAR = sa.delete(errands)
_ADD = sa.insert(errands).values(
    number=sa.bindparam("number"), due_at=sa.bindparam("due_at"), lease_until=0.0, fence=0
)
_ROWS = sa.select(errands.c.number, errands.c.due_at, errands.c.lease_until, errands.c.fence)


def make_table(database: Database) -> None:
    errands.create(database.engine)


def replace_rows(database: Database, due: Mapping[int, float]) -> None:
    """Replace the rows by these, given by number and due time."""
    with database.write(None) as session:
        session.execute(_CLEAR)
        for number, due_at in due.items():
            session.execute(_ADD, {"number": number, "due_at": due_at})


def rows(database: Database) -> dict[int, tuple[float, float, int]]:
    """Return due time, end of the lease and number of claims of each row."""
    return {number: (due, until, fence) for number, due, until, fence in database.session().all(_ROWS)}

"""Reading and filling of a PostgreSQL database by a copy of everything (`backup/copying.py`)."""

import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

import psycopg
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from firmograph.backup.postgresql import lock_tables
from firmograph.backup.postgresql import stage_blank as stage_blank
from firmograph.backup.row_loading import drop_constraints
from firmograph.database import bulk_load
from firmograph.database.connection import Database, Session
from firmograph.kit.errors import Refused

_ROWS: Final = 2000
"""Rows read at a time."""
_WAIT_SECONDS: Final = 2.0
"""Time in which others may end their use of a database."""
_POLL_SECONDS: Final = 0.05
_NUL_REPLACEMENT: Final = "\ufffd"
_UNFIT: Final = (
    psycopg.DataError,
    psycopg.IntegrityError,
    OverflowError,
    struct.error,
    TypeError,
    ValueError,
)
_DIALECT: Final = postgresql.dialect()  # type: ignore[no-untyped-call]
_others = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND application_name = 'firmograph'"
)
# whole tables are read in order
_READ_ALL: Final = "SET LOCAL enable_seqscan = on"
_LAST_NUMBER: Final = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {}"
_sequence = sa.text("SELECT pg_get_serial_sequence(:table, :column)")
_set_number = sa.text("SELECT setval(CAST(pg_get_serial_sequence(:table, :column) AS regclass), :last)")


@contextmanager
def sole_use(database: Database) -> Iterator[Session]:
    """Yield a session that reads a database while nobody else can use its tables. Raises Refused if others do."""
    session = database.session()
    give_up = time.monotonic() + _WAIT_SECONDS
    # the server notices a moment later that a process has ended
    while session.one(_others) != (0,):
        if time.monotonic() >= give_up:
            raise Refused(
                f"Other processes are connected to {database.name}: end its servers, workers and commands, then copy"
                " again"
            )
        time.sleep(_POLL_SECONDS)
    lock_tables(session)
    try:
        session.define(_READ_ALL)
        yield session
    finally:
        session.rollback()


def read_rows(session: Session, table: sa.Table) -> Iterator[list[Sequence[Any]]]:
    """Yield the rows of a table by its key, many at a time."""
    chosen = session.prepared(sa.select(*table.c).order_by(*table.primary_key)).template
    types = bulk_load.copying(table, (), _DIALECT).types
    with session.raw.cursor().copy(f"COPY ({chosen}) TO STDOUT (FORMAT BINARY)") as copy:
        copy.set_types(types)
        found = copy.rows()
        while rows := list(islice(found, _ROWS)):
            yield rows


def load_rows(session: Session, table: sa.Table, rows: list[Sequence[Any]]) -> None:
    """Write rows; a NUL in a text, which PostgreSQL cannot hold, becomes U+FFFD.

    Raises Refused if the database cannot hold another value of them.
    """
    texts = [place for place, column in enumerate(table.c) if isinstance(column.type, sa.Text)]
    rows = [_without_nul(row, texts) for row in rows]
    try:
        session.load(table, rows)
    except _UNFIT as error:
        raise Refused(
            f"The table {table.name} has a row that PostgreSQL refuses; nothing was copied"
        ) from error


def _without_nul(row: Sequence[Any], texts: Sequence[int]) -> Sequence[Any]:
    for place in texts:
        if isinstance(row[place], str) and "\0" in row[place]:
            return [
                value.replace("\0", _NUL_REPLACEMENT) if isinstance(value, str) else value for value in row
            ]
    return row


def drop_indexes(session: Session) -> list[str]:
    """Drop keys, references and indexes; return the statements that make them again."""
    return drop_constraints(session)


def read_last_numbers(session: Session, tables: Sequence[sa.Table]) -> dict[str, int]:
    """Return the last number that was given to a row, by table."""
    numbers = {}
    for table in tables:
        ((sequence,),) = session.all(_sequence, _named(table))
        ((last,),) = session.raw.execute(_LAST_NUMBER.format(sequence)).fetchall()
        numbers[table.name] = last
    return numbers


def set_last_numbers(session: Session, tables: Sequence[sa.Table], numbers: Mapping[str, int]) -> None:
    """Let the numbers of new rows follow these."""
    for table in tables:
        # a sequence that has given no number yet begins with 1
        if numbers[table.name]:
            session.execute(_set_number, {**_named(table), "last": numbers[table.name]})


def _named(table: sa.Table) -> dict[str, str]:
    assert table.autoincrement_column is not None
    return {"table": table.name, "column": table.autoincrement_column.name}

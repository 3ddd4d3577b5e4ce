"""Reading and filling of an embedded database by a copy of everything (`backup/copying.py`)."""

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import sqlalchemy as sa

from firmograph.backup.sqlite import stage_blank as stage_blank
from firmograph.database.connection import Database, Session
from firmograph.kit.errors import Refused

_ROWS: Final = 2000
"""Rows read at a time."""
_WAIT_SECONDS: Final = 2.0
"""Time in which others may end their use of a database."""
_POLL_SECONDS: Final = 0.05
_indexes = sa.text(
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
)
_sequences = sa.text("SELECT name, seq FROM sqlite_sequence")
_forget_sequences = sa.text("DELETE FROM sqlite_sequence")
_set_sequence = sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)")


@contextmanager
def sole_use(database: Database) -> Iterator[Session]:
    """Yield a session that reads a database while nobody else can open it. Raises Refused if others have it open."""
    session = database.session()
    give_up = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            # SQLite leaves write-ahead logging only while no other process has the file open, idle or not
            session.raw.execute("PRAGMA journal_mode = DELETE")
            session.raw.execute("BEGIN EXCLUSIVE")
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            if time.monotonic() >= give_up:
                raise Refused(
                    f"Another process has {database.name} open: end its servers, workers and commands, then copy"
                    " again"
                ) from error
            time.sleep(_POLL_SECONDS)
    try:
        yield session
    finally:
        session.rollback()
        session.raw.execute("PRAGMA journal_mode = WAL")


def read_rows(session: Session, table: sa.Table) -> Iterator[list[Sequence[Any]]]:
    """Yield the rows of a table, many at a time."""
    cursor = session.execute(sa.select(*table.c))
    while rows := cursor.fetchmany(_ROWS):
        yield rows


def load_rows(session: Session, table: sa.Table, rows: list[Sequence[Any]]) -> None:
    """Write rows. Raises Refused if the database cannot hold a value of them."""
    try:
        session.load(table, rows)
    except sqlite3.IntegrityError as error:
        raise Refused(f"The table {table.name} has a row that SQLite refuses; nothing was copied") from error


def drop_indexes(session: Session) -> list[str]:
    """Drop all indexes but those of keys; return the statements that make them again."""
    indexes = session.all(_indexes)
    for name, _ in indexes:
        session.define(f'DROP INDEX "{name}"')
    return [made for _, made in indexes]


def read_last_numbers(session: Session, tables: Sequence[sa.Table]) -> dict[str, int]:
    """Return the last number that was given to a row, by table."""
    numbers = {name: int(last) for name, last in session.all(_sequences)}
    for table in tables:
        if table.name not in numbers:
            ((last,),) = session.all(sa.select(sa.func.max(table.autoincrement_column)))
            numbers[table.name] = last or 0
    return numbers


def set_last_numbers(session: Session, tables: Sequence[sa.Table], numbers: Mapping[str, int]) -> None:
    """Let the numbers of new rows follow these; in tables without a sequence they follow the last row."""
    with_sequence = [table.name for table in tables if table.dialect_options["sqlite"]["autoincrement"]]
    session.execute(_forget_sequences)
    session.many(_set_sequence, [(name, numbers[name]) for name in with_sequence])

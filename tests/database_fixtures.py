"""Databases of tests: SQLite files, or databases of a PostgreSQL server of this process.

FIRMOGRAPH_TEST_DATABASE chooses: `sqlite`, the default, or `postgresql`.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import sqlalchemy as sa

from firmograph.database import sqlite
from firmograph.database.connection import Database
from firmograph.database.schema import prepare
from services import postgresql

KIND: Final = os.environ.get("FIRMOGRAPH_TEST_DATABASE", "sqlite")
EMBEDDED: Final = KIND == "sqlite"

# as in PostgreSQL: no test cuts the power, and the disk took most of the time of a commit
sqlite._PRAGMAS = tuple(
    pragma.replace("synchronous = FULL", "synchronous = OFF") for pragma in sqlite._PRAGMAS
)

_numbers = count(1)
_ends: list[Callable[[], None]] = []


def fresh(folder: Path, name: str = "firmograph") -> str:
    """Return the URL of a new database with the schema alone.

    A SQLite file is created in this folder; drop other databases after use.
    """
    if not EMBEDDED:
        return _copied(_prepared(), name)
    url = _file(folder, name)
    shutil.copyfile(sqlite.path(_prepared()), sqlite.path(url))
    return url


def empty(folder: Path, name: str = "empty") -> str:
    """Return the URL of a new database without a schema."""
    return _file(folder, name) if EMBEDDED else _server().create(_unique(name))


def copy(url: str, folder: Path, name: str = "firmograph") -> str:
    """Return the URL of a copy of a database that nobody writes to; a server cuts off remaining connections."""
    if not EMBEDDED:
        _server().close_connections(_name(url))
        return _copied(url, name)
    copied = _file(folder, name)
    with (
        closing(sqlite3.connect(sqlite.path(url))) as one,
        closing(sqlite3.connect(sqlite.path(copied))) as other,
    ):
        other.execute("PRAGMA synchronous = OFF")
        one.backup(other)
    return copied


def drop(url: str) -> None:
    """Cut off remaining connections and free the space; a file is deleted with its folder."""
    if not EMBEDDED:
        _server().drop(_name(url))


def content(database: Database) -> bytes:
    """Return the content of all tables, and of a file every byte."""
    session = database.session()
    if EMBEDDED:
        session.raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return Path(database.path).read_bytes()
    rows = [row for table in session.tables() for row in session.raw.execute(f'SELECT * FROM "{table}"')]
    return b"\n".join(
        value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row
    )


def end() -> None:
    """End the server if one was started."""
    while _ends:
        _ends.pop()()


def _file(folder: Path, name: str) -> str:
    return f"sqlite:///{folder / name}.db"


def _copied(url: str, name: str) -> str:
    return _server().create(_unique(name), template=_name(url))


def _name(url: str) -> str:
    return f"{sa.make_url(url).database}"


def _unique(name: str) -> str:
    return f"{name}_{next(_numbers)}"


@cache
def _prepared() -> str:
    """Return a prepared database to copy, as migration takes longer; its folder belongs to no test."""
    folder = TemporaryDirectory(prefix="firmograph-prepared-")
    _ends.append(folder.cleanup)
    database = Database(empty(Path(folder.name), "prepared"))
    prepare(database)
    if EMBEDDED:
        database.session().raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return database.url


@cache
def _server() -> postgresql.PostgreSQL:
    server = postgresql.PostgreSQL()
    _ends.append(server.remove)
    return server.start()

"""Databases of tests: SQLite files, or databases of a PostgreSQL server of this process's own.

FIRMOGRAPH_TEST_DATABASE says which: `sqlite`, the default, or `postgresql`.
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

# as of PostgreSQL's: no test cuts the power, and most of the time of a commit is that of the disk
sqlite._PRAGMAS = tuple(
    pragma.replace("synchronous = FULL", "synchronous = OFF") for pragma in sqlite._PRAGMAS
)

_numbers = count(1)
_ends: list[Callable[[], None]] = []


def fresh(folder: Path, name: str = "firmograph") -> str:
    """The URL of a new database with nothing but its schema. A file lies in this folder; drop what is not a file."""
    if not EMBEDDED:
        return _copied(_prepared(), name)
    url = _file(folder, name)
    shutil.copyfile(sqlite.path(_prepared()), sqlite.path(url))
    return url


def empty(folder: Path, name: str = "empty") -> str:
    """The URL of a new database without a schema."""
    return _file(folder, name) if EMBEDDED else _server().create(_unique(name))


def copy(url: str, folder: Path, name: str = "firmograph") -> str:
    """The URL of a copy of a database that nobody writes to; a server cuts off who still has it open."""
    if not EMBEDDED:
        _server().cut_off(_name(url))
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
    """Cut off whoever is still connected, and free the space; a file goes with its folder."""
    if not EMBEDDED:
        _server().drop(_name(url))


def content(database: Database) -> bytes:
    """Everything that its tables hold, and of a file every byte."""
    session = database.session()
    if EMBEDDED:
        session.raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return Path(database.path).read_bytes()
    rows = [row for table in session.tables() for row in session.raw.execute(f'SELECT * FROM "{table}"')]
    return b"\n".join(
        value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row
    )


def end() -> None:
    """End the server, when one was started."""
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
    """One that is copied, as migrating takes longer; in a folder that no test has."""
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

"""Dry-run database: reads see the real data, and all writes are discarded.

For an embedded database it is a copy in the same folder, as a long transaction would block other writers. On a server
it is one transaction that is rolled back at the end; until then other writers of the same scope wait.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

import sqlalchemy as sa

from firmograph.database.connection import Database, Scope, Session
from firmograph.database.copies import dry_run_folder
from firmograph.kit.atomic_files import private_folder
from firmograph.kit.errors import Refused

_PAGES_PER_STEP: Final = 256
"""Pages copied at a time."""
_SPACE_FACTOR: Final = 1.25
"""Disk space of a copy in sizes of the database, including what is written to it."""
# long enough to read a file before its first row is written; a process that hangs blocks others no longer
_IDLE_TIMEOUT = sa.text("SET LOCAL idle_in_transaction_session_timeout = '15min'")
_SAVEPOINT = sa.text("SAVEPOINT step")
_RELEASE = sa.text("RELEASE SAVEPOINT step")
_ROLLBACK = sa.text("ROLLBACK TO SAVEPOINT step")


@contextmanager
def dry_run_database(
    database: Database, scope: Scope, on_copy: Callable[[int], None] = lambda size: None
) -> Iterator[Database]:
    """Open a dry-run database for writes by one thread in one scope; the original stays unchanged.

    If an embedded database does not exist yet, its copy is empty, without a schema. `on_copy` is called with the number
    of bytes to copy. Raises Refused if there is no space for the copy or another copy exists, and Busy when the scope
    is not free.
    """
    with (
        _database_copy(database, on_copy)
        if database.embedded
        else _rolled_back_transaction(database, scope) as other
    ):
        yield other


@contextmanager
def _database_copy(database: Database, on_copy: Callable[[int], None]) -> Iterator[Database]:
    with private_folder(dry_run_folder(database)) as folder:
        copy = folder / "copy.db"
        if Path(database.path).exists():
            _copy(database, copy, on_copy)
        with closing(Database(f"sqlite:///{quote(str(copy))}")) as other:
            yield other


def _copy(database: Database, to: Path, on_copy: Callable[[int], None]) -> None:
    os.close(os.open(to, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with database.read() as session, closing(sqlite3.connect(to, isolation_level=None)) as copy:
        size = _size(session)
        free = shutil.disk_usage(to.parent).free
        if free < size * _SPACE_FACTOR:
            raise Refused(
                f"A dry run works on a copy of the database, next to it: {size * _SPACE_FACTOR / 1e6:,.0f} MB are"
                f" needed and {free / 1e6:,.0f} MB are free"
            )
        on_copy(size)
        # no copy is used again after a crash
        copy.execute("PRAGMA synchronous = OFF")
        session.raw.backup(copy, pages=_PAGES_PER_STEP)


def _size(session: Session) -> int:
    pages, page = (
        session.raw.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )
    return int(pages * page)


@contextmanager
def _rolled_back_transaction(database: Database, scope: Scope) -> Iterator[Database]:
    with closing(_RolledBackDatabase(database.url)) as other:
        session = other.session()
        session.begin_write([scope])
        try:
            session.execute(_IDLE_TIMEOUT)
            yield other
        finally:
            session.rollback()


class _RolledBackDatabase(Database):
    """Database in one open transaction, in which a commit releases a savepoint."""

    @contextmanager
    def read(self) -> Iterator[Session]:
        yield self.session()

    @contextmanager
    def write(self, *scopes: Scope) -> Iterator[Session]:
        session = self.session()
        session.execute(_SAVEPOINT)
        try:
            yield session
        except BaseException:
            session.execute(_ROLLBACK)
            raise
        session.execute(_RELEASE)

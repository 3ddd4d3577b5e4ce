"""A database to try things on: as the real one is, and nothing that is written stays.

Of the embedded database it is a copy beside it, as a long transaction would keep everyone else from writing. On a
server it is one transaction that is taken back at the end; until then whoever wants to write in the same scope waits.
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
from firmograph.kit.atomic_files import private_folder, remove_abandoned
from firmograph.kit.errors import Refused

_STEP: Final = 256
"""Pages that are copied at a time."""
_ROOM: Final = 1.25
"""How much of the disk a copy needs, in sizes of the database: what is written to it needs some too."""
# reading a file before the first row of it is written may take a while; one that hangs keeps others out no longer
_PATIENCE = sa.text("SET LOCAL idle_in_transaction_session_timeout = '15min'")
_BEGIN = sa.text("SAVEPOINT step")
_KEEP = sa.text("RELEASE SAVEPOINT step")
_UNDO = sa.text("ROLLBACK TO SAVEPOINT step")


@contextmanager
def rehearsal(
    database: Database, scope: Scope, told: Callable[[int], None] = lambda size: None
) -> Iterator[Database]:
    """A database like this one, which it leaves as it is, for writing in this scope by one thread.

    An embedded one need not exist yet; then this one is empty, without a schema. `told` hears how many bytes are
    copied. Raises Refused when there is no room for the copy, or while there is another one; Busy when the scope is not
    free.
    """
    with _copied(database, told) if database.embedded else _undone(database, scope) as other:
        yield other


def clear_abandoned_copy(database: Database) -> None:
    """Remove the copy that a killed rehearsal left: it holds people's data, which no suppression reaches there.

    One that is in use stays. Raises OSError when it cannot be removed.
    """
    if database.embedded:
        remove_abandoned(_place(database))


def _place(database: Database) -> Path:
    path = Path(database.path)
    return path.with_name(f"{path.name}.dry-run")


@contextmanager
def _copied(database: Database, told: Callable[[int], None]) -> Iterator[Database]:
    with private_folder(_place(database)) as folder:
        copy = folder / "copy.db"
        if Path(database.path).exists():
            _copy(database, copy, told)
        with closing(Database(f"sqlite:///{quote(str(copy))}")) as other:
            yield other


def _copy(database: Database, to: Path, told: Callable[[int], None]) -> None:
    os.close(os.open(to, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with database.read() as session, closing(sqlite3.connect(to, isolation_level=None)) as copy:
        size = _size(session)
        free = shutil.disk_usage(to.parent).free
        if free < size * _ROOM:
            raise Refused(
                f"A dry run works on a copy of the database, beside it: {size * _ROOM / 1e6:,.0f} MB are needed and"
                f" {free / 1e6:,.0f} MB are free"
            )
        told(size)
        # a crash leaves nothing that is used again
        copy.execute("PRAGMA synchronous = OFF")
        session.raw.backup(copy, pages=_STEP)


def _size(session: Session) -> int:
    pages, page = (
        session.raw.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )
    return int(pages * page)


@contextmanager
def _undone(database: Database, scope: Scope) -> Iterator[Database]:
    with closing(_Undone(database.url)) as other:
        session = other.session()
        session.begin_write([scope])
        try:
            session.execute(_PATIENCE)
            yield other
        finally:
            session.rollback()


class _Undone(Database):
    """What it reads and writes is all in one transaction, and what it commits a part of that."""

    @contextmanager
    def read(self) -> Iterator[Session]:
        yield self.session()

    @contextmanager
    def write(self, *scopes: Scope) -> Iterator[Session]:
        session = self.session()
        session.execute(_BEGIN)
        try:
            yield session
        except BaseException:
            session.execute(_UNDO)
            raise
        session.execute(_KEEP)

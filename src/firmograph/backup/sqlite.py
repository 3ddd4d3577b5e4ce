"""Backup and restore of the embedded database with SQLite's online backup."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from firmograph.backup import store
from firmograph.backup.archive import Archive, Progress
from firmograph.backup.foreign import refuse_foreign
from firmograph.database.connection import Database, Session
from firmograph.database.schema import prepare
from firmograph.kit.atomic_files import private_folder
from firmograph.kit.errors import Busy, Refused

_PAGES_PER_STEP: Final = 256
"""Pages copied between two progress reports."""
_WAIT_SECONDS: Final = 60.0
"""Time that a restore waits for the writer of the database it replaces."""


def dump(database: Database, to: Path, progress: Progress) -> store.DatabaseState:
    """Copy a snapshot of the database to a new file; return its state.

    Readers and writers continue: the copy reads one snapshot for as long as it takes.
    """
    with database.read() as session, closing(sqlite3.connect(to, isolation_level=None)) as copy:
        state = store.read_state(session, embedded=True)
        # no flushes needed, as a crash leaves only a draft
        copy.execute("PRAGMA synchronous = OFF")
        page = session.raw.execute("PRAGMA page_size").fetchone()[0]
        session.raw.backup(
            copy,
            pages=_PAGES_PER_STEP,
            progress=lambda _, left, total: progress((total - left) * page, total * page),
        )
        # a single file without a write-ahead log
        copy.execute("PRAGMA journal_mode = DELETE")
        if not _is_sound(copy):
            raise Refused(
                f"The database {database.name} is damaged, so no backup was made; restore the last one"
            )
    return state


@contextmanager
def stage(database: Database, archive: Archive, progress: Progress) -> Iterator["SQLiteStage"]:
    """Unpack a backup to a file next to the database, at this release's schema; remove it at the end.

    Raises Refused if the backup is damaged, or while another process restores the database.
    """
    with private_folder(Path(database.path)) as folder:
        archive.extract(folder / "copy", progress)
        with _staged(folder / "copy") as copy:
            _check(copy, archive)
            prepare(copy)
            yield SQLiteStage(database, copy, progress)


@contextmanager
def stage_blank(database: Database, progress: Progress) -> Iterator["SQLiteStage"]:
    """Make a file next to the database with the schema alone; remove it at the end.

    Raises Refused while another process restores the database or copies to it.
    """
    with private_folder(Path(database.path)) as folder, _staged(folder / "copy") as copy:
        prepare(copy)
        yield SQLiteStage(database, copy, progress)


@contextmanager
def _staged(file: Path) -> Iterator[Database]:
    with closing(Database(f"sqlite:///{quote(str(file))}")) as copy:
        # no flushes needed, as nobody uses it after a crash
        copy.session().raw.execute("PRAGMA synchronous = OFF")
        yield copy


def _check(copy: Database, archive: Archive) -> None:
    session = copy.session()
    if not _is_sound(session.raw):
        raise archive.damaged("its database fails SQLite's integrity check")
    state = store.read_state(session, embedded=True)
    refuse_foreign(state.foreign)
    store.check_manifest(state, archive)


def _is_sound(raw: sqlite3.Connection) -> bool:
    return bool(raw.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))


class SQLiteStage:
    """Restored copy of an embedded database, and the swap that puts it in place."""

    def __init__(self, database: Database, copy: Database, progress: Progress) -> None:
        self.copy = copy
        self._database = database
        self._progress = progress

    def swap(self, complete: Callable[[Session], None]) -> None:
        """Replace the database by the copy in one commit.

        Readers keep the old state until the commit, and writers wait. `complete` is called with a session of the
        database when no other process can write any more; it may write to the copy. If it raises, nothing is replaced.
        """
        source, target = self.copy.session().raw, self._database.session().raw
        with closing(Database(self._database.url)) as reader:

            def complete_copy() -> None:
                with reader.read() as session:
                    complete(session)

            pages = source.execute("PRAGMA page_count").fetchone()[0]
            # at least two steps, as the copy is completed after the first one
            steps = max(1, min(_PAGES_PER_STEP, pages // 2))
            monitor = _CopyMonitor(source, complete_copy, self._progress)
            source.backup(target, pages=steps, progress=monitor, sleep=0.01)
        # otherwise the log stays as large as the database; if a reader blocks this one, a later checkpoint does it
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class _CopyMonitor:
    """Observer of a copy into a live database.

    The first step of the copy takes the writer and keeps it to the end. What the source's own connection writes between
    two steps is part of the copy.
    """

    def __init__(self, source: sqlite3.Connection, complete: Callable[[], None], progress: Progress) -> None:
        self._complete = complete
        self._progress = progress
        self._page = source.execute("PRAGMA page_size").fetchone()[0]
        self._has_writer = False
        self._deadline = time.monotonic() + _WAIT_SECONDS

    def __call__(self, status: int, left: int, total: int) -> Any:
        if status == sqlite3.SQLITE_OK and not self._has_writer:
            self._has_writer = True
            self._complete()
        if not self._has_writer and time.monotonic() >= self._deadline:
            raise Busy
        self._progress((total - left) * self._page, total * self._page)

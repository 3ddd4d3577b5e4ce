"""Backup and restore of the embedded database with SQLite's online backup."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from firmograph.backup import store
from firmograph.backup.archive import Archive, Progress
from firmograph.backup.preserved_erasures import Preserved, Protections
from firmograph.database.connection import Database, Session
from firmograph.database.schema import prepare
from firmograph.kit.atomic_files import private_folder
from firmograph.kit.errors import Busy, Refused

_PAGES_PER_STEP: Final = 256
"""Pages copied between two progress reports."""
_WAIT_SECONDS: Final = 60.0
"""Time that a restore waits for the writer of the database it replaces."""
_REPLACED: Final = "replaced"
"""Name under which the replaced database is attached to its restored copy."""


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


def restore(
    database: Database,
    archive: Archive,
    protections: Protections,
    guard: Callable[[Session], None],
    progress: Progress,
) -> Preserved:
    """Replace a database by a backup in one commit, preserving its protections.

    Readers keep the old state until the commit, and writers wait. `guard` is called when no other process can write any
    more, and may still refuse.
    """
    with private_folder(Path(database.path)) as folder, closing(Database(database.url)) as other:
        archive.extract(folder / "copy", progress)
        copy = Database(f"sqlite:///{quote(str(folder / 'copy'))}")
        try:
            _check(copy, archive)
            prepare(copy)
            return _replace(database, copy, protections, lambda: guard(other.session()), progress)
        finally:
            copy.close()


def _check(copy: Database, archive: Archive) -> None:
    session, manifest = copy.session(), archive.manifest
    if not _is_sound(session.raw):
        raise archive.damaged("its database fails SQLite's integrity check")
    state = store.read_state(session, embedded=True)
    if state.foreign:
        raise Refused(
            f"The backup contains objects that this program did not create ({', '.join(state.foreign)[:300]});"
            " restore another one"
        )
    if (state.schema, state.keyring, state.holds) != (manifest.schema, manifest.keyring, manifest.holds):
        raise archive.damaged("its database does not match its manifest")


def _is_sound(raw: sqlite3.Connection) -> bool:
    return bool(raw.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))


class _UnstagedProtections(Exception):
    """Protections were added after they were staged."""


def _replace(
    database: Database,
    copy: Database,
    protections: Protections,
    guard: Callable[[], None],
    progress: Progress,
) -> Preserved:
    source, target, preserved = copy.session().raw, database.session().raw, Preserved()
    source.execute(f"ATTACH ? AS {_REPLACED}", (database.path,))
    unstaged = protections.find_unstaged(f"{_REPLACED}.")
    while True:
        preserved = preserved.plus(_preserve(source, protections))
        pages = source.execute("PRAGMA page_count").fetchone()[0]
        # at least two steps, as the check after the first one may stop the copy
        steps = min(_PAGES_PER_STEP, pages // 2)
        monitor = _CopyMonitor(source, unstaged, guard, progress)
        try:
            source.backup(target, pages=steps, progress=monitor, sleep=0.01)
        except _UnstagedProtections:
            continue
        # otherwise the log stays as large as the database; if a reader blocks this one, a later checkpoint does it
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return preserved


def _preserve(source: sqlite3.Connection, protections: Protections) -> Preserved:
    # not IMMEDIATE, which would also need the writer of the attached database, which requests use
    source.execute("BEGIN")
    for statement in [*protections.stage(f"{_REPLACED}."), *protections.apply(embedded=True)]:
        source.execute(statement)
    preserved = Preserved(*source.execute(protections.count()).fetchone())
    source.execute("COMMIT")
    return preserved


class _CopyMonitor:
    """Observer of a copy into a live database.

    The first step of the copy takes the writer and keeps it to the end.
    """

    def __init__(
        self, source: sqlite3.Connection, unstaged: str, guard: Callable[[], None], progress: Progress
    ) -> None:
        self._source = source
        self._unstaged = unstaged
        self._guard = guard
        self._progress = progress
        self._page = source.execute("PRAGMA page_size").fetchone()[0]
        self._has_writer = False
        self._deadline = time.monotonic() + _WAIT_SECONDS

    def __call__(self, status: int, left: int, total: int) -> Any:
        if status == sqlite3.SQLITE_OK and not self._has_writer:
            self._has_writer = True
            self._guard()
            if self._source.execute(self._unstaged).fetchone():
                raise _UnstagedProtections
        if not self._has_writer and time.monotonic() >= self._deadline:
            raise Busy
        self._progress((total - left) * self._page, total * self._page)

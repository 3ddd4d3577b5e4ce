"""Backup and restore of the embedded database, by SQLite's own online copy."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from firmograph.backup import preserved_erasures, store
from firmograph.backup.archive import Archive, Told
from firmograph.backup.preserved_erasures import Carried
from firmograph.database.connection import Database, Session
from firmograph.database.schema import prepare
from firmograph.kit.atomic_files import folder_aside
from firmograph.kit.errors import Busy, Refused

_STEP: Final = 256
"""Pages copied between two looks at progress."""
_WAIT_SECONDS: Final = 60.0
"""How long a restore waits for the writer of the database that it replaces."""
_HELD: Final = "replaced"
"""What the database that is replaced is called beside its restored copy."""


def dump(database: Database, to: Path, told: Told) -> store.State:
    """Copy the database as it is at one moment to a new file; what it is.

    Readers and writers go on meanwhile: the copy reads one snapshot, as any reader does, for as long as it takes.
    """
    with database.read() as session, closing(sqlite3.connect(to, isolation_level=None)) as copy:
        state = store.state(session, embedded=True)
        # a crash leaves nothing but a draft, so nothing needs to be flushed on the way
        copy.execute("PRAGMA synchronous = OFF")
        page = session.raw.execute("PRAGMA page_size").fetchone()[0]
        session.raw.backup(
            copy, pages=_STEP, progress=lambda _, left, total: told((total - left) * page, total * page)
        )
        # one file, without a write-ahead log beside it
        copy.execute("PRAGMA journal_mode = DELETE")
        if not _is_sound(copy):
            raise Refused(
                f"The database {database.name} is damaged, so no backup was made; restore the last one"
            )
    return state


def restore(database: Database, archive: Archive, guard: Callable[[Session], None], told: Told) -> Carried:
    """Put a backup in the place of a database, as one commit, once what must hold has been carried over to it.

    Who reads goes on reading the old state until that commit, and who writes waits. `guard` is called when no other
    process can write any more, and may still refuse.
    """
    with folder_aside(Path(database.path)) as folder, closing(Database(database.url)) as beside:
        archive.extract(folder / "copy", told)
        copy = Database(f"sqlite:///{quote(str(folder / 'copy'))}")
        try:
            _check(copy, archive)
            prepare(copy)
            return _replace(database, copy, lambda: guard(beside.session()), told)
        finally:
            copy.close()


def _check(copy: Database, archive: Archive) -> None:
    session, manifest = copy.session(), archive.manifest
    if not _is_sound(session.raw):
        raise archive.damaged("its database fails SQLite's check")
    state = store.state(session, embedded=True)
    if state.foreign:
        raise Refused(
            f"The backup holds what this program did not make ({', '.join(state.foreign)[:300]}); restore another one"
        )
    if (state.schema, state.keyring, state.holds) != (manifest.schema, manifest.keyring, manifest.holds):
        raise archive.damaged("its database is not the one that its manifest tells of")


def _is_sound(raw: sqlite3.Connection) -> bool:
    return bool(raw.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))


class _Missed(Exception):
    """Someone was suppressed, or something revoked, since it was looked at."""


def _replace(database: Database, copy: Database, guard: Callable[[], None], told: Told) -> Carried:
    source, target, carried = copy.session().raw, database.session().raw, Carried()
    source.execute(f"ATTACH ? AS {_HELD}", (database.path,))
    while True:
        carried = carried.plus(_carry_over(source))
        pages = source.execute("PRAGMA page_count").fetchone()[0]
        # two steps at least: what is looked at after the first one may still stop it
        steps = min(_STEP, pages // 2)
        try:
            source.backup(target, pages=steps, progress=_Watched(source, guard, told), sleep=0.01)
        except _Missed:
            continue
        # else the log would stay as large as the database; where a reader is in the way, a later one does it
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return carried


def _carry_over(source: sqlite3.Connection) -> Carried:
    # not IMMEDIATE, which would want the writer of the attached database too, and calls have it now and then
    source.execute("BEGIN")
    for statement in [*preserved_erasures.stage(f"{_HELD}."), *preserved_erasures.apply()]:
        source.execute(statement)
    carried = Carried(*source.execute(preserved_erasures.COUNTS).fetchone())
    source.execute("COMMIT")
    return carried


class _Watched:
    """Told of each step of a copy into a live database; its first step takes the writer, and holds it to the end."""

    def __init__(self, source: sqlite3.Connection, guard: Callable[[], None], told: Told) -> None:
        self._source = source
        self._guard = guard
        self._told = told
        self._page = source.execute("PRAGMA page_size").fetchone()[0]
        self._alone = False
        self._give_up = time.monotonic() + _WAIT_SECONDS

    def __call__(self, status: int, left: int, total: int) -> Any:
        if status == sqlite3.SQLITE_OK and not self._alone:
            self._alone = True
            self._guard()
            if self._source.execute(preserved_erasures.missed(f"{_HELD}.")).fetchone():
                raise _Missed
        if not self._alone and time.monotonic() >= self._give_up:
            raise Busy
        self._told((total - left) * self._page, total * self._page)

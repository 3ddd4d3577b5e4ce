"""Sessions on the embedded database: one writer at a time, concurrent reads of one state."""

import os
import random
import sqlite3
import time
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

import sqlalchemy as sa
from sqlalchemy.sql.expression import Executable

from firmograph.database.fair_lock import Turns
from firmograph.database.session import Params, Scope, Session, Statement
from firmograph.database.sqlite_remnants import clear_gaps
from firmograph.kit.errors import Busy, Unwritable

T = TypeVar("T")

WRITER_WAIT_SECONDS = 5.0
"""Timeout of a write that waits for the writer; then 503 (docs/reference/errors.md#busy-and-unavailable)."""

EMPTY_LOG_SECONDS = 10.0
"""Timeout of the emptying of the log, which waits for readers of an older state."""
_LOG_TRY_MS = 250

_UNWRITABLE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
"""Error codes of a full disk, quota or file size limit."""

_IN_SIZES = (
    *(1 << n for n in range(5)),
    *((1 << n) * step // 4 for n in range(5, 14) for step in (4, 5, 6, 7)),
    16384,
)
_SMALL_CACHE = -8192
"""8 MiB, in the unit of the pragma."""
_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    # NORMAL keeps every commit through a crash of the process, but a power cut may lose the last ones; a
    # charge is answered after its commit, so the stricter mode is worth its fsync.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    # overwrite deleted data in the file
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -65536",
    "PRAGMA mmap_size = 8589934592",
    "PRAGMA wal_autocheckpoint = 4000",
)


def engine(url: str) -> sa.Engine:
    return sa.create_engine(url, poolclass=sa.pool.NullPool, paramstyle="qmark")


def path(url: str) -> Path:
    """Return the path of the file."""
    return Path(unquote(sa.make_url(url).database or ""))


class SQLiteSession(Session):
    places_are_ordered = True

    def __init__(self, file: Path, dialect: sa.Dialect, turns: Turns) -> None:
        """Open a session; `turns` is shared by the process, whose threads write in order of arrival."""
        super().__init__()
        self._dialect = dialect
        self._turns = turns
        self._writes = False
        """Whether this session has the turn."""
        self._file = file
        self.raw = _connect(file)

    def compile(self, statement: Executable) -> "_Padded":
        return _Padded(statement, self._dialect)

    def run(self, text: str, values: Sequence[Any]) -> sqlite3.Cursor:
        try:
            cursor: sqlite3.Cursor = self.raw.execute(text, values)
        except sqlite3.OperationalError as error:
            _raise_known(error)
            raise
        return cursor

    def run_many(self, text: str, rows: list[Sequence[Any]]) -> None:
        try:
            self.raw.cursor().executemany(text, rows)
        except sqlite3.OperationalError as error:
            _raise_known(error)
            raise

    def begin_read(self) -> None:
        self.raw.execute("BEGIN")

    def begin_write(self, scopes: Sequence[Scope]) -> None:
        """Begin a write. Raises Busy when the writer is not free within `WRITER_WAIT_SECONDS`."""
        until = time.monotonic() + WRITER_WAIT_SECONDS
        # BEGIN refuses a nested transaction; waiting for a turn would block for ever
        if not self.raw.in_transaction:
            if not self._turns.take(WRITER_WAIT_SECONDS):
                raise Busy
            self._writes = True
        try:
            # only another process can hold the writer now
            _retry_while_locked(lambda: self.raw.execute("BEGIN IMMEDIATE"), until)
        except BaseException:
            if not self.raw.in_transaction:
                self._give_turn()
            raise

    def enter(self, *scopes: Scope) -> None:
        """Do nothing: the only writer holds all scopes."""

    def commit(self) -> None:
        try:
            self.raw.execute("COMMIT")
        except sqlite3.OperationalError as error:
            _raise_known(error)
            raise
        self._give_turn()

    def rollback(self) -> None:
        try:
            # a commit that failed (a full disk) may have left the transaction open, or ended it by itself
            if self.raw.in_transaction:
                self.raw.execute("ROLLBACK")
        finally:
            self._give_turn()

    def _give_turn(self) -> None:
        if self._writes:
            self._writes = False
            self._turns.give()

    def define(self, definition: str) -> None:
        self.raw.execute(definition)

    def tables(self) -> set[str]:
        # of a start, so other processes may be starting too, and one of them recover the log of a crashed one
        rows = _retry_while_locked(
            lambda: self.raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        )
        return {name for (name,) in rows}

    def relax(self, *, returns_to_pages: bool = True) -> None:
        """Let the write-ahead log grow to 256 MB, so that random keys share the writing of their pages."""
        self.raw.execute("PRAGMA synchronous = NORMAL")
        self.raw.execute("PRAGMA wal_autocheckpoint = 65536")
        if not returns_to_pages:
            self.raw.execute(f"PRAGMA cache_size = {_SMALL_CACHE}")

    def clear_remains(self) -> bool:
        """Overwrite deleted data in the file and its log; return False if a reader prevented it."""
        try:
            return _emptied(self.raw) and clear_gaps(self._file, self._hold_writer) and _emptied(self.raw)
        except Busy:
            return False

    def _hold_writer(self, raw: sqlite3.Connection) -> bool:
        """Begin a write transaction with an empty log; return False if a reader keeps the log."""
        log = self._file.with_name(f"{self._file.name}-wal")
        while True:
            _retry_while_locked(lambda: raw.execute("BEGIN IMMEDIATE"))
            if not log.exists() or log.stat().st_size == 0:
                return True
            raw.execute("ROLLBACK")
            if not _emptied(self.raw):
                return False

    def close(self) -> None:
        self.raw.close()


class _Padded(Statement):
    """Statement whose lists are padded with their last value to a few sizes, so that few texts exist."""

    most_in = _IN_SIZES[-1]

    def __init__(self, statement: Executable, dialect: sa.Dialect) -> None:
        super().__init__(statement, dialect)
        self._texts: dict[tuple[int, ...], str] = {}

    def bind(self, params: Params) -> tuple[str, Sequence[Any]]:
        if not isinstance(params, Mapping):
            if params is not None:
                return self.template, params
            params = {}
        if not self.expanding:
            if self.defaults:
                params = {**self.defaults, **params}
            return self.template, [params[n] for n in self.names]
        sizes = tuple(_padded(len(params[n])) for n in self.expanding)
        values: list[Any] = []
        for name in self.names:
            if name in self.expanding:
                given = list(params[name])
                values += given
                values += [given[-1] if given else None] * (_padded(len(given)) - len(given))
            else:
                values.append(params[name] if name in params else self.defaults[name])
        return self._sized(sizes), values

    def _sized(self, sizes: tuple[int, ...]) -> str:
        text = self._texts.get(sizes)
        if text is None:
            text = self.template
            for name, size in zip(self.expanding, sizes, strict=True):
                text = text.replace(f"__[POSTCOMPILE_{name}]", ", ".join("?" * size))
            self._texts[sizes] = text
        return text


def _padded(count: int) -> int:
    return _IN_SIZES[bisect_left(_IN_SIZES, count)]


def _connect(file: Path) -> sqlite3.Connection:
    _make_private(file)
    raw = sqlite3.connect(
        file, timeout=0, isolation_level=None, check_same_thread=False, cached_statements=512
    )
    for pragma in _PRAGMAS:
        _retry_while_locked(partial(raw.execute, pragma))
    return raw


def _make_private(file: Path) -> None:
    """Let only the owner read a new file or an empty one; the mode of a file that holds something is left alone."""
    # personal data; SQLite gives its companion files the same mode
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if file.is_file() and file.stat().st_size == 0:
            # a file of another user cannot be restricted
            with suppress(PermissionError):
                file.chmod(0o600)


def _is_locked(error: Exception) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _emptied(raw: sqlite3.Connection) -> bool:
    """Move the write-ahead log into the file and empty it; return False if an open reader prevented it.

    Each attempt is short, as it holds the writer.
    """
    give_up = time.monotonic() + EMPTY_LOG_SECONDS
    raw.execute(f"PRAGMA busy_timeout = {_LOG_TRY_MS}")
    try:
        while raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() >= give_up:
                return False
            time.sleep(random.uniform(0.01, 0.05))
    finally:
        raw.execute("PRAGMA busy_timeout = 0")
    return True


def _raise_known(error: sqlite3.OperationalError) -> None:
    """Raise the service's error for a driver error that is not a defect of this program."""
    if _is_locked(error):
        raise Busy from error
    if error.sqlite_errorcode in _UNWRITABLE:
        raise Unwritable from error


def _retry_while_locked(attempt: Callable[[], T], until: float | None = None) -> T:
    """Try until the database's lock is free, at random intervals shorter than the pauses of an import."""
    give_up = time.monotonic() + WRITER_WAIT_SECONDS if until is None else until
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            if not _is_locked(error) or time.monotonic() >= give_up:
                _raise_known(error)
                raise
            time.sleep(random.uniform(0.0001, 0.0006))

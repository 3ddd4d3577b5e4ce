"""One thin layer between SQLAlchemy Core statements and the database driver.

Stores write their statements once, as SQLAlchemy Core constructs at module level; each is compiled once a
dialect and then runs straight on the driver's cursor, without an ORM, a result class or a type processor.
That is what keeps short exact reads short (design, section 3). Columns therefore hold only integers, floats,
text and bytes.

Every statement goes through `Session`, so a test can count them.
"""

import os
import random
import sqlite3
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import unquote

import sqlalchemy as sa
from sqlalchemy.sql.expression import Executable

from firmograph.kit.errors import Busy

Row = tuple[Any, ...]
Params = Mapping[str, Any] | Sequence[Any] | None

metadata = sa.MetaData()
"""The tables of every room; each room declares its own in `tables.py`."""

WRITER_WAIT_SECONDS = 5.0
"""How long a write waits for the embedded database's one writer before 503 (decisions B)."""

Scope = int
"""What a writing transaction may change, alone. The embedded database has one writer anyway; elsewhere transactions
of different scopes go on side by side."""

RECORDS: Scope = 1
"""Contacts, companies and what belongs to them: imports and suppression."""
ACCOUNTS: Scope = 2
"""Accounts, their users and keys, as operators manage them."""
INSTALLATION: Scope = 3
"""What the database is: its keyring, its identity."""
COUNTERS: Scope = 4
"""Counters of rate limits."""
DUTIES: Scope = 5
"""What workers do regularly."""


def account_scope(account_id: int) -> Scope:
    """The credits, paid units and idempotency keys of one account."""
    return _ACCOUNT_SCOPES + account_id


_ACCOUNT_SCOPES = 1 << 20

_IN_SIZES = (
    *(1 << n for n in range(5)),
    *((1 << n) * step // 4 for n in range(5, 14) for step in (4, 5, 6, 7)),
    16384,
)
_MAX_IN = _IN_SIZES[-1]


class _Compiled:
    """The driver's text of one statement, and the order of its parameters."""

    def __init__(self, statement: Executable, dialect: sa.Dialect) -> None:
        compiled = statement.compile(dialect=dialect)  # type: ignore[attr-defined]
        self.template: str = str(compiled)
        self.names: tuple[str, ...] = tuple(getattr(compiled, "positiontup", None) or ())
        self.expanding = [n for n in self.names if f"__[POSTCOMPILE_{n}]" in self.template]
        self.defaults: dict[str, Any] = {
            name: bind.value for name, bind in compiled.binds.items() if not bind.required
        }
        self._mark = "?" if dialect.paramstyle == "qmark" else "%s"
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
                text = text.replace(f"__[POSTCOMPILE_{name}]", ", ".join([self._mark] * size))
            self._texts[sizes] = text
        return text


def _padded(count: int) -> int:
    """List sizes are rounded up a little (the last value repeats), so that few texts are ever prepared."""
    return _IN_SIZES[bisect_left(_IN_SIZES, count)]


class Session:
    """One connection of one thread. Not shared between threads."""

    def __init__(self, raw: Any, dialect: sa.Dialect) -> None:
        self.raw = raw
        self.statements = 0
        """How many execute and executemany calls were made, transaction bounds not counted."""
        self._dialect = dialect
        self._compiled: dict[int, tuple[Executable, _Compiled]] = {}

    def _prepare(self, statement: Executable) -> _Compiled:
        held = self._compiled.get(id(statement))
        if held is None:
            held = (statement, _Compiled(statement, self._dialect))
            self._compiled[id(statement)] = held
        return held[1]

    def execute(self, statement: Executable, params: Params = None) -> Any:
        """Run one statement (module-level, so that it is compiled once); returns the driver's cursor."""
        text, values = self._prepare(statement).bind(params)
        self.statements += 1
        try:
            return self.raw.execute(text, values)
        except sqlite3.OperationalError as error:
            if _is_locked(error):
                raise Busy from error
            raise

    def all(self, statement: Executable, params: Params = None) -> list[Row]:
        rows: list[Row] = self.execute(statement, params).fetchall()
        return rows

    def one(self, statement: Executable, params: Params = None) -> Row | None:
        row: Row | None = self.execute(statement, params).fetchone()
        return row

    def all_in(self, statement: Executable, name: str, values: Sequence[Any], **params: Any) -> list[Row]:
        """Rows of a statement with one expanding parameter `name`, for any number of values."""
        rows: list[Row] = []
        for start in range(0, len(values), _MAX_IN):
            rows += self.all(statement, {name: values[start : start + _MAX_IN], **params})
        return rows

    def run_in(self, statement: Executable, name: str, values: Sequence[Any], **params: Any) -> None:
        """The same for a statement without rows, such as a delete."""
        for start in range(0, len(values), _MAX_IN):
            self.execute(statement, {name: values[start : start + _MAX_IN], **params})

    def relax(self) -> None:
        """For long work that can be done again: after a power cut its last commits may be missing, never half there.

        The write-ahead log may grow to 256 MB meanwhile: random keys then share the writing of their pages.
        """
        self.raw.execute("PRAGMA synchronous = NORMAL")
        self.raw.execute("PRAGMA wal_autocheckpoint = 65536")

    def many(self, statement: Executable, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each row; a row is a sequence in the order of the statement's parameters."""
        rows = rows if isinstance(rows, list) else list(rows)
        if rows:
            self.statements += 1
            self.raw.cursor().executemany(self._prepare(statement).template, rows)


class Database:
    """A database by URL, with one session a thread.

    `sqlite:///path.db` is the embedded default. Reads see one snapshot; writes are serialised.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = sa.create_engine(url, poolclass=sa.pool.NullPool, paramstyle="qmark")
        self._local = threading.local()
        self._open: list[Session] = []
        self._lock = threading.Lock()

    @property
    def path(self) -> str:
        """The file of an embedded database."""
        return unquote(sa.make_url(self.url).database or "")

    def session(self) -> Session:
        """This thread's session, outside any transaction."""
        session: Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = Session(self._connect(), self.engine.dialect)
            with self._lock:
                self._open.append(session)
        return session

    def _connect(self) -> Any:
        # people's data: a new file is its owner's alone, and SQLite gives its companions the same mode
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        raw = sqlite3.connect(
            self.path, timeout=0, isolation_level=None, check_same_thread=False, cached_statements=512
        )
        for pragma in _SQLITE_PRAGMAS:
            _patiently(lambda pragma=pragma: raw.execute(pragma))  # type: ignore[misc]
        return raw

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session whose reads all see one state of the database."""
        session = self.session()
        session.raw.execute("BEGIN")
        try:
            yield session
        finally:
            if session.raw.in_transaction:
                session.raw.execute("ROLLBACK")

    @contextmanager
    def write(self, scope: Scope) -> Iterator[Session]:
        """A transaction that holds the writer of a scope: all of it happens, or nothing.

        Raises Busy when the writer is not free within `WRITER_WAIT_SECONDS`.
        """
        session = self.session()
        _patiently(lambda: session.raw.execute("BEGIN IMMEDIATE"))
        try:
            yield session
            session.raw.execute("COMMIT")
        except BaseException:
            # a commit that failed (a full disk) may have left the transaction open, or ended it by itself
            if session.raw.in_transaction:
                session.raw.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the sessions of every thread; for the end of a process or a test."""
        with self._lock:
            for session in self._open:
                session.raw.close()
            self._open.clear()
        self._local = threading.local()


_SQLITE_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    # NORMAL keeps every commit through a crash of the process, but a power cut may lose the last ones; a
    # charge is answered after its commit, so the stricter mode is worth its fsync.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    # what a suppression deletes is gone from the file too
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -65536",
    "PRAGMA mmap_size = 8589934592",
    "PRAGMA wal_autocheckpoint = 4000",
)


def _is_locked(error: Exception) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _patiently(attempt: Callable[[], object]) -> None:
    """Try until the database's lock is free, in short random steps: fair enough beside a long import."""
    give_up = time.monotonic() + WRITER_WAIT_SECONDS
    while True:
        try:
            attempt()
            return
        except sqlite3.OperationalError as error:
            if not _is_locked(error):
                raise
            if time.monotonic() >= give_up:
                raise Busy from error
            time.sleep(random.uniform(0.001, 0.004))

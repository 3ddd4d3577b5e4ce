"""Thin layer between SQLAlchemy Core statements and the database driver.

Stores define their statements as SQLAlchemy Core constructs at module level. Each is compiled once per process and runs
directly on the driver's cursor, without an ORM, a result class or type processors, which keeps short reads fast.
Columns therefore hold only integers, floats, text and bytes.

Every statement goes through `Session`, so a test can count them.
"""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from firmograph.database import sqlite
from firmograph.database.fair_lock import Turns
from firmograph.database.session import (
    ACCOUNT_SCOPES,
    EVERY_ACCOUNT,
    AccountSession,
    Params,
    Row,
    Scope,
    Session,
)

__all__ = [
    "EVERY_ACCOUNT",
    "AccountSession",
    "Database",
    "Params",
    "Row",
    "Scope",
    "Session",
    "account_scope",
    "metadata",
]

metadata = sa.MetaData()
"""Tables of all packages; each package declares its own in `tables.py`."""

_SERVER_SIZE = sa.text("SELECT pg_database_size(current_database())")

RECORDS: Scope = 1
"""Contacts, companies and their data: imports and suppression."""
ACCOUNTS: Scope = 2
"""Accounts, their users and keys, as operators manage them."""
INSTALLATION: Scope = 3
"""Keyring and identity of the database."""
COUNTERS: Scope = 4
"""Counters of rate limits."""
SUBSCRIPTIONS: Scope = 5
"""Creation of deliveries for new signals."""


def account_scope(account_id: int) -> Scope:
    """Return the scope of one account's credits, paid units and idempotency keys."""
    return ACCOUNT_SCOPES + account_id


class _OpenSessions:
    """Sessions that are not closed yet, which are closed one after the other.

    The session of a thread that has ended is closed when the next thread opens one, and not by the garbage collector:
    it may run in any thread, also one that the end of the process has stopped while it held a lock. The embedded
    database moves its log into the file at the last close; if two connections were closed at once, each would leave
    that to the other.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: dict[Session, threading.Thread] = {}

    def add(self, session: Session) -> None:
        """Add the session of the current thread; close those of threads that have ended."""
        with self._lock:
            for other in [each for each, thread in self._threads.items() if not thread.is_alive()]:
                self._close(other)
            self._threads[session] = threading.current_thread()

    def close_all(self) -> None:
        """Close the sessions of all threads; return when none is open or being closed."""
        with self._lock:
            for session in list(self._threads):
                self._close(session)

    def _close(self, session: Session) -> None:
        del self._threads[session]
        session.close()


class Database:
    """Database of a URL, with one session per thread.

    `sqlite:///path.db` is the embedded default, `postgresql+psycopg://user@host/name` a server that many processes on
    many machines may share.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.embedded = sa.make_url(url).get_backend_name() == "sqlite"
        self._local = threading.local()
        self._open = _OpenSessions()
        if self.embedded:
            self.engine = sqlite.engine(url)
            self._turns = Turns()
        else:
            from firmograph.database import postgresql

            self.engine = postgresql.engine(url)
            self._server = postgresql.Server(url)

    @property
    def path(self) -> str:
        """Path of an embedded database's file."""
        return str(sqlite.path(self.url))

    @property
    def name(self) -> str:
        """Name for messages, without the credentials that a URL may contain."""
        return self.path if self.embedded else f"{sa.make_url(self.url).database}"

    @property
    def companion(self) -> Path:
        """Path whose name its companion files extend: its own file, or its name in the current folder."""
        return Path(self.name)

    def size(self) -> int:
        """Return the bytes that it takes on its disk."""
        if self.embedded:
            files = (Path(f"{self.path}{suffix}") for suffix in ("", "-wal", "-shm"))
            return sum(file.stat().st_size for file in files if file.exists())
        row = self.session().one(_SERVER_SIZE)
        return int(row[0]) if row else 0

    def session(self) -> Session:
        """Return this thread's session, outside any transaction."""
        session: Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = self._new()
            self._open.add(session)
        return session

    def _new(self) -> Session:
        if self.embedded:
            return sqlite.SQLiteSession(sqlite.path(self.url), self.engine.dialect, self._turns)
        return self._server.session(self.engine.dialect)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a session whose reads all see one state of the database."""
        session = self.session()
        session.begin_read()
        try:
            yield session
        finally:
            session.rollback()

    @contextmanager
    def look(self) -> Iterator[Session]:
        """Open a session whose reads may each see a later state than the one before.

        On PostgreSQL this saves a transaction; the embedded database reads faster in one.
        """
        if self.embedded:
            with self.read() as session:
                yield session
        else:
            yield self.session()

    @contextmanager
    def write(self, *scopes: Scope) -> Iterator[Session]:
        """Open a transaction that holds the writer of one or more scopes, and commits or rolls back as a whole.

        Raises Busy when the writer is not free within five seconds, and Unavailable when the connection is lost:
        nothing is written then, unless it was lost during the commit.
        """
        session = self.session()
        session.begin_write(scopes)
        try:
            yield session
            session.commit()
        except BaseException:
            session.rollback()
            raise

    def clear_remains(self) -> bool | None:
        """Overwrite deleted data in the files of an embedded database.

        Returns False if a long reader prevented it, and None for a database server.
        """
        session = self.session()
        return session.clear_remains() if isinstance(session, sqlite.SQLiteSession) else None

    def vacuum(self, tables: Iterable[str], wait_seconds: float) -> int:
        """Remove deleted rows from tables of a database server.

        Waits for sessions that read an earlier state. Returns the number of those that still keep such rows.
        """
        from firmograph.database.postgresql_vacuum import vacuum_tables

        return vacuum_tables(self._server.connect(), tables, wait_seconds)

    def close(self) -> None:
        """Close the sessions of all threads, at the end of a process or a test."""
        self._open.close_all()
        self._local = threading.local()

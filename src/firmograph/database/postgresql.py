"""Sessions on a PostgreSQL server, shared by any number of processes and machines.

A write holds an advisory lock of its scope until it ends, and each of its statements sees what was committed before
it. So checks and changes within a scope cannot interleave, while different scopes run concurrently. A read sees one
state. Statements are prepared once per connection with generic plans: all of them find rows by index, and planning
would take longer than executing them.
"""

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import psycopg
import sqlalchemy as sa
from psycopg import errors, pq
from psycopg.types.numeric import Int8BinaryDumper
from psycopg.types.string import StrBinaryDumper
from sqlalchemy.sql.expression import Executable

from firmograph.database import bulk_load, postgresql_arrays
from firmograph.database.postgresql_prepared import Prepared, Rows
from firmograph.database.session import ACCOUNT_SCOPES, EVERY_ACCOUNT, Params, Scope, Session, Statement
from firmograph.kit.errors import Busy, DatabaseLost, Refused, Unwritable
from firmograph.kit.outage import Outage

T = TypeVar("T")

CONNECT_SECONDS: Final = 5
_AGAIN_SECONDS: Final = 0.5
"""Time after a failed connection attempt in which further ones fail at once."""
_SETTINGS: Final = {
    "lock_timeout": "5s",  # a writer busy for longer is 503
    "statement_timeout": "60s",
    # a process that hangs within a transaction must not block the others forever
    "idle_in_transaction_session_timeout": "60s",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "jit": "off",
}
_ENCODING: Final = "UTF8"
"""Encoding of database and connection: most others cannot represent all names, and `SQL_ASCII` returns bytes."""
_FEW: Final = 8
"""Number of rows below which an insert is faster, as a COPY takes two round trips."""
_ALIVE: Final = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""Keep-alive settings that detect an unreachable server within about 25 seconds."""
_IN_LIST = re.compile(r"IN \(__\[POSTCOMPILE_[^\]]*\]\)")
_UNKNOWN = (
    "The database was lost while it was asked to keep this; whether it did is not known. Repeat the request under the"
    " same Idempotency-Key; without one, what was revealed is not charged again, but a search that has a price may be"
)
_BUSY = (
    errors.LockNotAvailable,
    errors.DeadlockDetected,
    errors.SerializationFailure,
    errors.QueryCanceled,
)
_LOST = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.IdleInTransactionSessionTimeout,
    # the former primary has become a standby
    errors.ReadOnlySqlTransaction,
)


def engine(url: str) -> sa.Engine:
    """Create the engine that runs migrations and compiles statements; services use sessions."""
    return sa.create_engine(
        url,
        poolclass=sa.pool.NullPool,
        paramstyle="format",
        connect_args={"connect_timeout": CONNECT_SECONDS, "client_encoding": _ENCODING},
    )


def library_url(url: str) -> str:
    """Return a URL in the form of the client library, which writes spaces in one way only."""
    rendered = sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return rendered.replace("+", "%20")


class Server:
    """Factory of connections that pauses after a failed attempt."""

    def __init__(self, url: str, **settings: str) -> None:
        """Take settings of the connections that differ from those of a service."""
        self._settings = {**_SETTINGS, **settings}
        self._address = library_url(url)
        self.outage = Outage()
        self._down_until = 0.0
        self._lock = threading.Lock()

    def session(self, dialect: sa.Dialect) -> "PostgreSQLSession":
        return PostgreSQLSession(self, dialect)

    def connect(self) -> "psycopg.Connection[Any]":
        """Connect.

        Raises DatabaseLost from the driver's error, and Refused for a database that is not in UTF-8.
        """
        with self._lock:
            if time.monotonic() < self._down_until:
                raise DatabaseLost
        ended = self.outage.ended
        try:
            raw = self._connected()
        except psycopg.Error as error:
            with self._lock:
                self._down_until = time.monotonic() + _AGAIN_SECONDS
            self.outage.begin(ended, error)
            raise DatabaseLost from error
        if raw.info.parameter_status("in_hot_standby") != "on":
            self.outage.end()
        return raw

    def _connected(self) -> "psycopg.Connection[Any]":
        raw = psycopg.connect(
            self._address,
            autocommit=True,
            connect_timeout=CONNECT_SECONDS,
            client_encoding=_ENCODING,
            application_name="firmograph",
            **_ALIVE,  # type: ignore[arg-type]
        )
        if (held := raw.info.parameter_status("server_encoding")) != _ENCODING:
            raw.close()
            raise Refused(
                f"The database's encoding is {held}; make it with: createdb --encoding=UTF8 --template=template0 NAME"
            )
        raw.prepared_max = None
        # one type for all integers and one for all texts, else a statement is prepared for each size of integer
        raw.adapters.register_dumper(int, Int8BinaryDumper)
        raw.adapters.register_dumper(str, StrBinaryDumper)
        postgresql_arrays.register_arrays(raw)
        raw.execute("; ".join(f"SET {name} = '{value}'" for name, value in self._settings.items()))
        return raw


class _Connection(NamedTuple):
    raw: "psycopg.Connection[Any]"
    prepared: Prepared


class PostgreSQLSession(Session):
    """Session that connects at first use, and again after its connection was lost.

    A loss within a transaction raises DatabaseLost; outside, the statement is repeated.
    """

    places_are_ordered = False

    def __init__(self, server: Server, dialect: sa.Dialect) -> None:
        super().__init__()
        self._server = server
        self._dialect = dialect
        self._held: _Connection | None = None
        self._outages = 0
        """Outages that had ended when its connection was opened."""
        self._begun = False

    @property
    def raw(self) -> "psycopg.Connection[Any]":
        return self._connection().raw

    def _connection(self) -> "_Connection":
        if self._held is None:
            if self._begun:
                # on a new connection each statement would be committed separately
                raise DatabaseLost
            raw = self._server.connect()
            self._held = _Connection(raw, Prepared(raw))
            self._outages = self._server.outage.ended
        return self._held

    def compile(self, statement: Executable) -> "_Listed":
        return _Listed(statement, self._dialect)

    def run(self, text: str, values: Sequence[Any]) -> Rows:
        return self._safely(lambda: self._connection().prepared.run(text, values))

    def run_many(self, text: str, rows: list[Sequence[Any]]) -> None:
        self._safely(lambda: self.raw.cursor().executemany(text, rows))

    def load(self, table: sa.Table, rows: Sequence[Sequence[Any]], columns: tuple[str, ...] = ()) -> None:
        """Write new rows, by COPY if there are many: it costs client and server half as much as inserts."""
        if len(rows) < _FEW:
            self.many(bulk_load.inserting(table, columns), rows)
        else:
            self.statements += 1
            self._safely(lambda: self._copy(bulk_load.copying(table, columns, self._dialect), rows))

    def _copy(self, into: bulk_load.Copy, rows: Sequence[Sequence[Any]]) -> None:
        with self.raw.cursor().copy(into.text) as copy:
            copy.set_types(into.types)
            for row in rows:
                copy.write_row(row)

    def begin_read(self) -> None:
        self._begin(b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def begin_write(self, scopes: Sequence[Scope]) -> None:
        """Begin a transaction. Raises Busy when others hold a scope for over five seconds."""
        self._begin(b"; ".join([b"BEGIN ISOLATION LEVEL READ COMMITTED", *_locks(scopes)]))

    def enter(self, *scopes: Scope) -> None:
        self._safely(lambda: self._command(b"; ".join(_locks(scopes))))

    def _begin(self, command: bytes) -> None:
        if self._begun:
            # the server would only warn, and the end of the inner transaction would commit the outer one
            raise RuntimeError("a transaction within a transaction")
        try:
            self._safely(lambda: self._command(command))
        except BaseException:
            self.rollback()
            raise
        self._begun = True

    def commit(self) -> None:
        """Commit. Raises DatabaseLost, with advice for the caller, when the connection was lost."""
        try:
            tag = self._command(b"COMMIT")
        except psycopg.Error as error:
            if self._lost(error):
                raise self._outage(error, _UNKNOWN) from error
            _raise_known(error)
            raise
        self._begun = False
        if tag != b"COMMIT":
            raise RuntimeError("a statement of this transaction had failed, so nothing was committed")

    def rollback(self) -> None:
        self._begun = False
        if self._held is not None and self._held.raw.pgconn.transaction_status != pq.TransactionStatus.IDLE:
            try:
                self._command(b"ROLLBACK")
            except psycopg.Error:
                self.close()

    def define(self, definition: str) -> None:
        # past the driver's cursor, after which all prepared statements would be discarded
        self._safely(lambda: self._command(definition.encode()))

    def tables(self) -> set[str]:
        found = self.run("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()", ())
        return {name for (name,) in found}

    def relax(self, *, returns_to_pages: bool = True) -> None:
        """Do nothing: commits are rare enough, and a continued import must not miss committed rows."""

    def close(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            held.raw.close()

    def _command(self, command: bytes) -> bytes:
        """Run commands without parameters and rows, without a cursor; return the tag of the last command."""
        result = self.raw.pgconn.exec_(command)
        if result.status not in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK):
            raise errors.error_from_result(result)
        return result.command_status or b""

    def _safely(self, attempt: Callable[[], T]) -> T:
        try:
            return attempt()
        except psycopg.Error as error:
            if not self._lost(error):
                _raise_known(error)
                raise
            if self._begun:
                raise self._outage(error) from error
        # the connection may have been idle since before the server was started again
        try:
            return attempt()
        except psycopg.Error as error:
            if self._lost(error):
                raise self._outage(error) from error
            _raise_known(error)
            raise

    def _outage(self, error: psycopg.Error, message: str | None = None) -> DatabaseLost:
        """Note that a lost connection has cost a transaction or was lost again, and return the error for the caller."""
        self._server.outage.begin(self._outages, error)
        return DatabaseLost(message)

    def _lost(self, error: psycopg.Error) -> bool:
        """Return whether the connection is lost; the next use opens another."""
        gone = _is_loss(error) or (self._held is not None and _is_unusable(self._held.raw))
        if gone:
            self.close()
        return gone


class _Listed(Statement):
    """Statement whose lists are array parameters, so one text serves any number of values."""

    most_in = 65_536

    def __init__(self, statement: Executable, dialect: sa.Dialect) -> None:
        if isinstance(statement, sa.Insert) and not statement._returning:
            statement = statement.inline()  # without fetching the number of the new row
        super().__init__(statement, dialect)
        self.template = _IN_LIST.sub("= ANY(%s)", self.template)

    def bind(self, params: Params) -> tuple[str, Sequence[Any]]:
        if isinstance(params, Mapping):
            if self.defaults:
                params = {**self.defaults, **params}
            if self.expanding:
                params = {**params, **{n: postgresql_arrays.encode_array(params[n]) for n in self.expanding}}
            return self.template, [params[n] for n in self.names]
        if params is None:
            return self.template, [self.defaults[n] for n in self.names]
        return self.template, params


def _locks(scopes: Sequence[Scope]) -> list[bytes]:
    """Return the lock commands in ascending order, so that two transactions cannot deadlock."""
    held = sorted({scope for scope in scopes if scope is not None})
    locks = [b"SELECT pg_advisory_xact_lock(%d)" % scope for scope in held]
    if held and held[-1] >= ACCOUNT_SCOPES and EVERY_ACCOUNT not in held:
        first = sum(scope < EVERY_ACCOUNT for scope in held)
        locks.insert(first, b"SELECT pg_advisory_xact_lock_shared(%d)" % EVERY_ACCOUNT)
    return locks


def _raise_known(error: psycopg.Error) -> None:
    """Raise the service's error for a driver error that is not a defect of this program."""
    if isinstance(error, _BUSY):
        raise Busy from error
    if isinstance(error, errors.DiskFull):
        raise Unwritable from error


def _is_loss(error: BaseException | None) -> bool:
    """Return whether the server ended the connection, according to the error or an earlier one in its chain."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        if isinstance(error, _LOST):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


def _is_unusable(raw: "psycopg.Connection[Any]") -> bool:
    """Return whether the connection is closed or was left within a pipeline."""
    return bool(raw.closed) or raw.pgconn.pipeline_status != pq.PipelineStatus.OFF

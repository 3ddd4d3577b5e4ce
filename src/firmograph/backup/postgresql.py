"""Backup and restore of a PostgreSQL database with pg_dump and pg_restore."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

import sqlalchemy as sa
from psycopg import sql

from firmograph.backup import store
from firmograph.backup.archive import Archive, Progress
from firmograph.backup.foreign import refuse_foreign
from firmograph.backup.programs import Programs, run_program
from firmograph.backup.row_loading import load_rows
from firmograph.database.connection import Database, Session
from firmograph.database.schema import build
from firmograph.database.staged_schema import staged_schema
from firmograph.kit.errors import Busy

_BLOCK: Final = 1 << 20
_POLL_SECONDS: Final = 0.2
_WAIT_SECONDS: Final = 60.0
"""Time that a restore waits for the users of the tables it replaces."""
_LIMITS: Final = (
    "SET LOCAL lock_timeout = '200ms'; SET LOCAL statement_timeout = 0;"
    " SET LOCAL idle_in_transaction_session_timeout = 0"
)
_OWN_OBJECTS_ONLY: Final = ("--no-owner", "--no-privileges", "--no-comments")
"""Options that leave out owners and privileges, so that anyone can restore the backup."""

_disable_idle_timeout = sa.text("SET LOCAL idle_in_transaction_session_timeout = 0")
# counting many millions of rows takes longer than the limit of other statements
_disable_statement_timeout = sa.text("SET LOCAL statement_timeout = 0")
_export = sa.text("SELECT pg_export_snapshot()")
# functions of extensions such as pg_stat_statements belong to the server's operator
_functions = sa.text(
    "SELECT oid::regprocedure::text FROM pg_proc p WHERE pronamespace = quote_ident(current_schema())::regnamespace"
    " AND NOT EXISTS (SELECT 1 FROM pg_depend d"
    " WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')"
)
_schema = sa.text("SELECT current_schema(), quote_ident(current_schema())")


def dump(database: Database, to: Path, progress: Progress) -> store.DatabaseState:
    """Write a snapshot of the database to a new file without blocking anyone; return its state.

    Raises Refused when pg_dump is missing, older than the server, or fails.
    """
    with database.read() as session:
        session.execute(_disable_idle_timeout)
        session.execute(_disable_statement_timeout)
        state = store.read_state(session, embedded=False)
        programs = Programs(database.url, session)
        ((snapshot,),) = session.all(_export)
        # other schemas of the database are not this program's
        ((_, schema),) = session.all(_schema)
        options = (
            "--format=custom", *_OWN_OBJECTS_ONLY, f"--schema={schema}", f"--snapshot={snapshot}", f"--file={to}"
        )  # fmt: skip
        with run_program(programs.command("pg_dump", *options), programs.environment) as process:
            while process.poll() is None:
                progress(_size(to), 0)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_SECONDS)
    progress(_size(to), _size(to))
    return state


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


@contextmanager
def stage(database: Database, archive: Archive, progress: Progress) -> Iterator["PostgreSQLStage"]:
    """Fill a staged schema with the rows of a backup, at this release's schema; remove it at the end.

    Migrations make the schema: only rows come from the backup. Raises Refused if it is damaged or holds objects that
    this program did not create, or while another process restores the database.
    """
    programs = Programs(database.url, database.session())
    with staged_schema(database) as copy:
        build(copy, archive.manifest.schema)
        with _script(programs, archive, progress) as script:
            foreign = load_rows(copy.session(), script, archive)
        refuse_foreign(foreign)
        store.check_manifest(store.read_state(copy.session(), embedded=False), archive)
        build(copy)
        yield PostgreSQLStage(database, copy)


@contextmanager
def stage_blank(database: Database, progress: Progress) -> Iterator["PostgreSQLStage"]:
    """Make a staged schema without rows; remove it at the end.

    Raises Refused while another process restores the database or copies to it.
    """
    with staged_schema(database) as copy:
        build(copy)
        yield PostgreSQLStage(database, copy)


@contextmanager
def _script(programs: Programs, archive: Archive, progress: Progress) -> Iterator[IO[bytes]]:
    """Yield the backup as a script, which is read here and never run."""
    command = programs.command("pg_restore", *_OWN_OBJECTS_ONLY, "--file=-", connect=False)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with run_program(command, programs.environment, **pipes) as process, archive.database() as (dump, size):
        assert process.stdin is not None
        assert process.stdout is not None
        feeder = threading.Thread(target=_feed, args=(dump, process.stdin, size, progress), daemon=True)
        feeder.start()
        try:
            yield process.stdout
        finally:
            process.stdout.close()
            feeder.join()


def _feed(dump: IO[bytes], to: IO[bytes], size: int, progress: Progress) -> None:
    done = 0
    # pg_restore reports an incomplete dump
    with suppress(BrokenPipeError), to:
        while block := dump.read(_BLOCK):
            to.write(block)
            done += len(block)
            progress(done, size)


class PostgreSQLStage:
    """Restored copy of a database in a staged schema, and the swap that puts it in place."""

    def __init__(self, database: Database, copy: Database) -> None:
        self.copy = copy
        self._database = database

    def swap(self, complete: Callable[[Session], None]) -> None:
        """Replace the tables of the live schema by those of the copy in one commit; all other sessions wait.

        `complete` is called with the session of the live schema when nobody else can change it any more; it may write
        to the copy. If it raises, nothing is replaced. Raises Busy if the tables are in use for over a minute.
        """
        session = self._database.session()
        lock_tables(session)
        try:
            complete(session)
            for statement in _swap_statements(session, self.copy.session()):
                session.define(statement)
            session.commit()
        finally:
            session.rollback()


def lock_tables(session: Session) -> None:
    """Begin a transaction that waits for the users of all tables, if there are any, and blocks new ones.

    It backs off before a deadlock, so that nobody waits for it for long before it has all tables.
    """
    tables = ", ".join(map(_quoted, sorted(session.tables())))
    lock = f"; LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE" if tables else ""
    give_up = time.monotonic() + _WAIT_SECONDS
    while True:
        session.begin_write([])
        try:
            session.define(_LIMITS + lock)
            return
        except Busy:
            session.rollback()
            if time.monotonic() > give_up:
                raise
            time.sleep(_POLL_SECONDS / 4)
        except BaseException:
            session.rollback()
            raise


def _swap_statements(live: Session, copy: Session) -> Iterator[str]:
    """Yield statements that drop the content of the live schema and move that of the staged one into it."""
    ((_, target),), ((_, source),) = live.all(_schema), copy.all(_schema)
    if tables := ", ".join(map(_quoted, sorted(live.tables()))):
        yield f"DROP TABLE {tables} CASCADE"
    yield from (f"DROP FUNCTION {name} CASCADE" for (name,) in live.all(_functions))
    for (name,) in copy.all(_functions):
        yield f"ALTER FUNCTION {source}.{name} SET SCHEMA {target}"
    for name in sorted(copy.tables()):
        yield f"ALTER TABLE {source}.{_quoted(name)} SET SCHEMA {target}"
    # fails if anything was left in it
    yield f"DROP SCHEMA {source}"


def _quoted(name: str) -> str:
    return sql.Identifier(name).as_string()

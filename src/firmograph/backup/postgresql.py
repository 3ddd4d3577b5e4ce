"""Backup and restore of a PostgreSQL database with pg_dump, pg_restore and psql."""

import subprocess
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import sqlalchemy as sa

from firmograph.backup import store
from firmograph.backup.archive import Archive, Progress
from firmograph.backup.foreign import REFUSE_FOREIGN
from firmograph.backup.preserved_erasures import Preserved, Protections
from firmograph.backup.programs import Programs, run_program
from firmograph.database.connection import Database, Session

_BLOCK: Final = 1 << 20
_POLL_SECONDS: Final = 0.2
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

_LOCK_ALL = """
SET LOCAL lock_timeout = '200ms';
DO $$
DECLARE
    give_up timestamptz := clock_timestamp() + interval '60 s';
BEGIN
    LOOP
        BEGIN
            LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            IF clock_timestamp() > give_up THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(0.05);
        END;
    END LOOP;
END $$;
SET LOCAL lock_timeout = 0"""
"""Lock of all tables that waits for their users, blocks new ones, and backs off before a deadlock."""

_STILL_UNUSED = """
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM accounts) OR EXISTS (SELECT 1 FROM contacts) OR EXISTS (SELECT 1 FROM companies)
        OR EXISTS (SELECT 1 FROM suppressions) THEN
        RAISE EXCEPTION 'the database came into use during the restore; check it and run the command again';
    END IF;
END $$"""


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


def restore(
    database: Database,
    archive: Archive,
    protections: Protections,
    guard: Callable[[Session], None],
    progress: Progress,
) -> Preserved:
    """Replace a database by a backup in one commit, preserving its protections.

    All other sessions wait. psql gets one script with one transaction, which only its last line commits: if this
    process or a program fails before, nothing has changed.
    """
    session = database.session()
    guard(session)
    programs = Programs(database.url, session)
    # read everything first, as the script's locks block this session too
    preamble = list(_drop_statements(session, protections))
    ((schema, _),) = session.all(_schema)
    script = ("--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "--file=-")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with run_program(programs.command("psql", *script), programs.environment, **pipes) as process:
        assert process.stdin is not None
        # if psql exits early, `run_program` reports its error
        with suppress(BrokenPipeError):
            _send(process.stdin, preamble)
            _send_tables(programs, archive, schema, process.stdin, progress)
            applied = protections.apply(archive.manifest.schema, embedded=False)
            # the check comes before any statement that could fire a restored trigger
            _send(
                process.stdin,
                ["RESET search_path", REFUSE_FOREIGN, *applied, protections.count(), "COMMIT"],
            )
        output = process.communicate()[0].decode()
    return Preserved(*map(int, output.splitlines()[-1].split("|")))


def _drop_statements(session: Session, protections: Protections) -> Iterable[str]:
    """Yield statements that stage the protections and then drop the tables."""
    tables = ", ".join(sorted(session.tables()))
    yield "BEGIN"
    yield _LOCK_ALL.format(tables=tables)
    if not store.is_in_use(session):
        yield _STILL_UNUSED
    yield from protections.stage()
    yield f"DROP TABLE {tables} CASCADE"
    yield from (f"DROP FUNCTION {name} CASCADE" for (name,) in session.all(_functions))


def _send_tables(
    programs: Programs, archive: Archive, schema: str, to: IO[bytes], progress: Progress
) -> None:
    """Send the backup's table definitions and rows; the schema itself exists already."""
    options = (*_OWN_OBJECTS_ONLY, f"--schema={schema}", "--file=-")
    command = programs.command("pg_restore", *options, connect=False)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with run_program(command, programs.environment, **pipes) as process, archive.database() as (dump, size):
        assert process.stdin is not None
        assert process.stdout is not None
        feeder = threading.Thread(target=_feed, args=(dump, process.stdin, size, progress), daemon=True)
        feeder.start()
        try:
            while block := process.stdout.read(_BLOCK):
                to.write(block)
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


def _send(to: IO[bytes], statements: Iterable[str]) -> None:
    for statement in statements:
        to.write(f"{statement};\n".encode())
    to.flush()

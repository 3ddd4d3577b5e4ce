"""Backup and restore of a PostgreSQL database, by its own programs pg_dump, pg_restore and psql."""

import subprocess
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import sqlalchemy as sa

from firmograph.backup import preserved_erasures, store
from firmograph.backup.archive import Archive, Told
from firmograph.backup.foreign import REFUSE
from firmograph.backup.preserved_erasures import Carried
from firmograph.backup.programs import Programs, running
from firmograph.database.connection import Database, Session

_BLOCK: Final = 1 << 20
_LOOK_SECONDS: Final = 0.2
_NO_OTHERS: Final = ("--no-owner", "--no-privileges", "--no-comments")
"""A backup is restored by whoever runs it, and says nothing of who else there is on the server."""

_no_timeout = sa.text("SET LOCAL idle_in_transaction_session_timeout = 0")
# counting many millions of rows takes longer than any other statement may
_no_limit = sa.text("SET LOCAL statement_timeout = 0")
_export = sa.text("SELECT pg_export_snapshot()")
# those of extensions, such as pg_stat_statements, are the server's operator's
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
"""Waits for whoever uses the tables, and keeps new ones waiting; lets go again before anybody meets a deadlock."""

_STILL_UNUSED = """
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM accounts) OR EXISTS (SELECT 1 FROM contacts) OR EXISTS (SELECT 1 FROM companies)
        OR EXISTS (SELECT 1 FROM suppressions) THEN
        RAISE EXCEPTION 'the database came into use meanwhile; look at it, and run the command again';
    END IF;
END $$"""


def dump(database: Database, to: Path, told: Told) -> store.State:
    """Write the database as it is at one moment to a new file; what it is. Nobody waits for it.

    Raises Refused when pg_dump is missing, older than the server, or fails.
    """
    with database.read() as session:
        session.execute(_no_timeout)
        session.execute(_no_limit)
        state = store.state(session, embedded=False)
        programs = Programs(database.url, session)
        ((snapshot,),) = session.all(_export)
        # what else the database holds is not this program's
        ((_, schema),) = session.all(_schema)
        options = (
            "--format=custom", *_NO_OTHERS, f"--schema={schema}", f"--snapshot={snapshot}", f"--file={to}"
        )  # fmt: skip
        with running(programs.command("pg_dump", *options), programs.environment) as process:
            while process.poll() is None:
                told(_size(to), 0)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_LOOK_SECONDS)
    told(_size(to), _size(to))
    return state


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def restore(database: Database, archive: Archive, guard: Callable[[Session], None], told: Told) -> Carried:
    """Put a backup in the place of a database, as one commit, once what must hold has been carried over to it.

    Everybody else waits meanwhile. What is sent is one script with one transaction, which only its last line commits:
    if this process dies, or a program on the way fails, nothing has happened.
    """
    session = database.session()
    guard(session)
    programs = Programs(database.url, session)
    # all of it before anything is sent: from its first line on this session would wait as well
    beginning = list(_beginning(session))
    ((schema, _),) = session.all(_schema)
    script = ("--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "--file=-")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with running(programs.command("psql", *script), programs.environment, **pipes) as process:
        assert process.stdin is not None
        # when it ends early it has said why, and `running` tells
        with suppress(BrokenPipeError):
            _send(process.stdin, beginning)
            _send_restored(programs, archive, schema, process.stdin, told)
            applied = preserved_erasures.apply(archive.manifest.schema)
            # before any statement that a trigger of it could answer
            _send(process.stdin, ["RESET search_path", REFUSE, *applied, preserved_erasures.COUNTS, "COMMIT"])
        said = process.communicate()[0].decode()
    return Carried(*map(int, said.splitlines()[-1].split("|")))


def _beginning(session: Session) -> Iterable[str]:
    """Statements that note what counts of the database that is there, and then drop it."""
    tables = ", ".join(sorted(session.tables()))
    yield "BEGIN"
    yield _LOCK_ALL.format(tables=tables)
    if not store.is_in_use(session):
        yield _STILL_UNUSED
    yield from preserved_erasures.stage()
    yield f"DROP TABLE {tables} CASCADE"
    yield from (f"DROP FUNCTION {name} CASCADE" for (name,) in session.all(_functions))


def _send_restored(programs: Programs, archive: Archive, schema: str, to: IO[bytes], told: Told) -> None:
    """Send what makes the backup's tables and fills them, but for their schema, which is there."""
    options = (*_NO_OTHERS, f"--schema={schema}", "--file=-")
    command = programs.command("pg_restore", *options, connect=False)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with running(command, programs.environment, **pipes) as process, archive.database() as (dump, size):
        assert process.stdin is not None
        assert process.stdout is not None
        feeding = threading.Thread(target=_feed, args=(dump, process.stdin, size, told), daemon=True)
        feeding.start()
        try:
            while block := process.stdout.read(_BLOCK):
                to.write(block)
        finally:
            process.stdout.close()
            feeding.join()


def _feed(dump: IO[bytes], to: IO[bytes], size: int, told: Told) -> None:
    done = 0
    # what is not sent is missed at the other end
    with suppress(BrokenPipeError), to:
        while block := dump.read(_BLOCK):
            to.write(block)
            done += len(block)
            told(done, size)


def _send(to: IO[bytes], statements: Iterable[str]) -> None:
    for statement in statements:
        to.write(f"{statement};\n".encode())
    to.flush()

"""Places of copies of a database: those of dry runs, and those that restores stage before they replace it.

Of an embedded database a copy is a file in a private folder next to it. On a server a staged copy is a schema next to
the database's own (`staged_schema.py`), on which the session that makes it holds an advisory lock. What a killed
process left is so known from what is in use, and removed by the next command that opens the database.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from firmograph.database.connection import Database, Session
from firmograph.kit.atomic_files import remove_abandoned
from firmograph.kit.errors import Busy

_POLL_SECONDS: Final = 0.05
_OWN: Final = "quote_ident(current_schema())::regnamespace::oid"
# unique in the server's database, however long the name of the live schema is
STAGED_NAME: Final = f"'firmograph_restore_' || {_OWN}"
"""Expression for the name of the staged schema."""
_found = sa.text(f"SELECT nspname FROM pg_namespace WHERE nspname = {STAGED_NAME}")
# the first byte sets these locks apart from those of scopes and of announced changes
_key: Final = f"(71::bigint << 56) | {_OWN}::bigint"
_lock = sa.text(f"SELECT pg_try_advisory_lock({_key})")
_unlock = sa.text(f"SELECT pg_advisory_unlock({_key})")


@contextmanager
def staging(session: Session, wait_seconds: float = 0.0) -> Iterator[bool]:
    """Hold the lock of the staged schema of this session's schema; yield whether no other process does.

    What is left of the schema is removed at the begin and the end.
    """
    give_up = time.monotonic() + wait_seconds
    while session.one(_lock) != (True,):
        if time.monotonic() >= give_up:
            yield False
            return
        time.sleep(_POLL_SECONDS)
    try:
        _drop(session)
        try:
            yield True
        finally:
            _drop(session)
    finally:
        session.one(_unlock)


def dry_run_folder(database: Database) -> Path:
    """Return the folder of the copy of an embedded database that a dry run works on."""
    path = Path(database.path)
    return path.with_name(f"{path.name}.dry-run")


def remove_abandoned_dry_run(database: Database) -> None:
    """Remove the copy that a killed dry run left: it holds personal data that no suppression would erase.

    A copy in use stays. Raises OSError when it cannot be removed.
    """
    if database.embedded:
        remove_abandoned(dry_run_folder(database))


def remove_abandoned_stage(database: Database) -> None:
    """Remove the staged copy that a killed restore left: it holds data of people who were suppressed since.

    A copy in use stays. Raises OSError if a file cannot be removed.
    """
    if database.embedded:
        remove_abandoned(Path(database.path))
        return
    session = database.session()
    if session.one(_found) is not None:
        # the server may still be working for the killed process; another command removes it then
        with suppress(Busy), staging(session):
            pass


def _drop(session: Session) -> None:
    for (schema,) in session.all(_found):
        session.define(f"DROP SCHEMA {schema} CASCADE")

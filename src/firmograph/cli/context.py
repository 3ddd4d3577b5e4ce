"""What commands work on: the settings, the database with its schema prepared, and its keyring."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from firmograph.cli.installation import ensure_keyring
from firmograph.cli.record_upgrade import upgrade_records
from firmograph.database.connection import Database
from firmograph.database.dry_run import remove_abandoned_copy
from firmograph.database.schema import is_ours, prepare
from firmograph.kit.errors import Refused, Unavailable
from firmograph.kit.machine_errors import machine_error_text
from firmograph.security.keyring import Keyring
from firmograph.settings import Settings, load_settings

_EMBEDDED = "sqlite:///"
_SERVER = "postgresql+psycopg"


def open_database(settings: Settings | None = None, *, logs: bool = False) -> Database:
    """Open the database with its schema made or migrated, its records under the rules of this release, and no files of
    dry runs that were killed. `logs` says that the log of this process is set up.

    Raises Refused when it cannot be used.
    """
    settings = settings or load_settings()
    database = make_database(settings)
    _clear_up(database)
    with _opening(database):
        prepare(database)
    upgrade_records(settings, database, logs=logs)
    return database


def make_database(settings: Settings) -> Database:
    """The database, which is not looked at before it is used. Raises Refused where there can be none."""
    database = Database(_checked(settings.database_url))
    if database.embedded:
        _check_file(Path(database.path))
    return database


def open_existing_database(settings: Settings) -> Database:
    """A database that is there, with whatever schema it has. Raises Refused when it is not one of ours."""
    database = make_database(settings)
    if database.embedded and not Path(database.path).exists():
        raise Refused(f"There is no database {database.path}; name one with --database")
    with _opening(database):
        if not is_ours(database.session()):
            raise Refused(f"The database {database.name} holds nothing of this program")
    return database


def _clear_up(database: Database) -> None:
    try:
        remove_abandoned_copy(database)
    except OSError as error:
        # it may be in use by somebody else of this machine
        print(
            f"Warning: {error.filename}, of a dry run, cannot be removed: {error.strerror}. If none is going on,"
            " remove it: it holds a copy of the database",
            file=sys.stderr,
        )


@contextmanager
def _opening(database: Database) -> Iterator[None]:
    try:
        yield
    except Unavailable:
        raise
    except Exception as error:
        reason = machine_error_text(error)
        if reason is None:
            raise
        raise Refused(f"The database {database.name} cannot be opened: {reason}") from error


def _check_file(file: Path) -> None:
    if not file.parent.is_dir():
        raise Refused(f"The folder {file.parent} of the database does not exist; create it first")
    if file.exists() and not os.access(file, os.R_OK | os.W_OK):
        raise Refused(f"The database {file} cannot be written; change its permissions or its owner")


def _checked(url: str) -> str:
    kind, is_url, _ = url.partition("://")
    if is_url and kind in ("postgresql", "postgres"):
        raise Refused("Write the URL of a PostgreSQL database as postgresql+psycopg://USER@HOST/NAME")
    if kind == _SERVER:
        try:
            named = make_url(url).database
        except (ArgumentError, ValueError):
            named = None
        if not named:
            raise Refused(
                "The database URL names no database; write it as postgresql+psycopg://USER@HOST/NAME"
            )
        return url
    if is_url and kind != "sqlite":
        raise Refused(
            f"{kind} databases are not supported; use sqlite:///FILE.db or postgresql+psycopg://USER@HOST/NAME"
        )
    if not url.startswith(_EMBEDDED) or url.removeprefix(_EMBEDDED) in ("", ":memory:"):
        raise Refused(f"{url} is not the URL of a database file; write it as sqlite:///FILE.db")
    return url


def open_keyring(settings: Settings, database: Database) -> Keyring:
    """The keyring that belongs to the database, made on first use (`cli/installation.py`)."""
    return ensure_keyring(settings, database)

"""Installation of a command: settings, prepared database and keyring."""

import os
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from firmograph.bootstrap.assembly import make_installation
from firmograph.caller import Request
from firmograph.cli.record_derivation import derive_records
from firmograph.database.connection import Database
from firmograph.database.copies import remove_abandoned_dry_run, remove_abandoned_stage
from firmograph.database.schema import check_released, held_revision, is_ours, prepare
from firmograph.installation import Installation
from firmograph.kit.errors import Refused, Unavailable
from firmograph.kit.machine_errors import machine_error_text
from firmograph.kit.outage import log_outages
from firmograph.settings import Settings, load_settings, misnamed_settings

_EMBEDDED = "sqlite:///"
_SERVER = "postgresql+psycopg"
_FORMS = "sqlite:///FILE.db or postgresql+psycopg://USER@HOST/NAME"


def open_installation(
    settings: Settings | None = None,
    *,
    creates: bool = False,
    logs: bool = False,
    counter_file: str | None = None,
) -> Installation:
    """Open the installation of the settings as `open_database` does; its keyring is created on first use."""
    settings = settings or load_settings()
    database = open_database(settings, creates=creates, logs=logs)
    if logs:
        log_outages()
    return make_installation(settings, database, counter_file=counter_file)


@contextmanager
def open_account(account: str, settings: Settings | None = None) -> Iterator[tuple[Installation, int]]:
    """Yield the installation, open, and the number of an account by name or id. Raises Refused for an unknown one."""
    from firmograph.accounts.service import Accounts

    installation = open_installation(settings)
    try:
        yield installation, installation.get(Accounts).find(account).id
    finally:
        installation.database.close()


def operator_request(installation: Installation, account: str) -> Request:
    """Return a request of the operator, who acts in an account by name or id: with its plan and credits."""
    from firmograph.accounts.service import Accounts

    caller = installation.get(Accounts).operator(account, installation.settings.can_reveal)
    return Request(str(uuid.uuid4()), caller, installation.clock.seconds())


def open_database(settings: Settings | None = None, *, creates: bool = False, logs: bool = False) -> Database:
    """Open the database with its schema migrated and its records merged by this release's rules.

    Removes what killed dry runs and restores left. `creates` creates the database if there is none, for commands that
    bring something into it. Set `logs` if the log of this process is set up. Raises Refused if the database cannot be
    used.
    """
    settings = settings or load_settings()
    database = make_database(settings)
    if not creates:
        _check_created(database)
    _remove_abandoned(remove_abandoned_dry_run, database, "dry run")
    with _refuse_failures(database):
        prepare(database)
    _remove_abandoned(remove_abandoned_stage, database, "restore")
    derive_records(settings, database, logs=logs)
    return database


def make_database(settings: Settings) -> Database:
    """Return the database of the settings without connecting to it. Raises Refused if its URL or file is unusable."""
    database = Database(_check_url(settings.database_url))
    if database.embedded:
        _check_file(Path(database.path))
    return database


def open_existing_database(settings: Settings) -> Database:
    """Open an existing database without migrating its schema. Raises Refused if it is not one of a release."""
    database = make_database(settings)
    _check_created(database)
    with _refuse_failures(database):
        if not is_ours(database.session()):
            raise Refused(f"The database {database.name} was not created by this program")
        check_released(held_revision(database))
    return database


def _check_created(database: Database) -> None:
    """Raise Refused, naming the place, where no command has created a database yet."""
    if not database.embedded or Path(database.path).exists():
        with _refuse_failures(database):
            if database.session().tables():
                return
    place = Path(database.path).resolve() if database.embedded else database.name
    raise Refused(
        f"There is no database at {place}; `firmograph import` and `firmograph account create` make one, or choose"
        " another with --database"
    )


def _remove_abandoned(remove: Callable[[Database], None], database: Database, command: str) -> None:
    try:
        remove(database)
    except OSError as error:
        # another user of this machine may be using it
        print(
            f"Warning: {error.filename}, left by a {command}, cannot be removed: {error.strerror}. If no {command} is"
            " in progress, remove it: it contains a copy of the database",
            file=sys.stderr,
        )


@contextmanager
def _refuse_failures(database: Database) -> Iterator[None]:
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
        raise Refused(f"The database {file} is not writable; change its permissions or its owner")


def _check_url(url: str) -> str:
    kind, is_url, _ = url.partition("://")
    if is_url and kind in ("postgresql", "postgres"):
        raise Refused("Write the URL of a PostgreSQL database as postgresql+psycopg://USER@HOST/NAME")
    if kind == _SERVER:
        try:
            name = make_url(url).database
        except (ArgumentError, ValueError):
            name = None
        if not name:
            raise Refused(
                "The database URL has no database name; write it as postgresql+psycopg://USER@HOST/NAME"
            )
        return url
    if not is_url or not kind:
        what = url if url.strip() else "An empty text"
        raise Refused(f"{what} is not the URL of a database; write it as {_FORMS}")
    if kind != "sqlite":
        raise Refused(f"{kind} databases are not supported; use {_FORMS}")
    if not url.startswith(_EMBEDDED) or url.removeprefix(_EMBEDDED) in ("", ":memory:"):
        raise Refused(f"{url} is not the URL of a database file; write it as sqlite:///FILE.db")
    return url


def clear_remains(database: Database) -> dict[str, bool]:
    """Clear removed data from the files of an embedded database; print a hint if that is impossible."""
    erased = database.clear_remains()
    if erased is None:
        return {}
    if not erased:
        print(
            f"{database.path} and {database.path}-wal may still contain copies of the removed data: another process "
            "(such as a backup or the build of a search index) reads an earlier state of the database. Run the "
            "command again when it has ended",
            file=sys.stderr,
        )
    return {"erased": erased}


def log_misnamed_settings() -> None:
    """Log a warning for environment variables that are no settings."""
    for variable, nearest in misnamed_settings():
        structlog.get_logger().warning("this variable is no setting", variable=variable, nearest=nearest)

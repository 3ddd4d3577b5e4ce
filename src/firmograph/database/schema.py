"""Schema of the database, created or migrated at the start of a command by one process at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from firmograph.database.connection import INSTALLATION, Database, Session, metadata
from firmograph.kit.errors import Busy, Refused

if TYPE_CHECKING:
    from alembic.config import Config

FIRST = "0014"
"""Migration of the first release; earlier ones were never released."""

HEAD = "0028"
"""Newest migration, so that a start without migrations loads no migration code."""

RULES = "5"
"""Version of the rules by which records are merged, derived and encoded; a new one merges all records again."""

TABLES = (
    "firmograph.directory.tables",
    "firmograph.accounts.tables",
    "firmograph.admin.tables",
    "firmograph.billing.tables",
    "firmograph.conversations.tables",
    "firmograph.ingest.imports.tables",
    "firmograph.ingest.quality.tables",
    "firmograph.jobs.tables",
    "firmograph.logins.tables",
    "firmograph.lookalikes.tables",
    "firmograph.operator_audit.tables",
    "firmograph.privacy.deletion_lists.tables",
    "firmograph.privacy.do_not_call.tables",
    "firmograph.rate_limits.tables",
    "firmograph.record_tables.tables",
    "firmograph.saved_searches.tables",
    "firmograph.signals.tables",
    "firmograph.visits.tables",
    "firmograph.waterfall.tables",
    "firmograph.webhooks.tables",
)
"""Modules of all tables."""

_LOCK_MILLISECONDS = 60_000

_MIGRATIONS = Path(__file__).parent / "migrations"

_VERSION_TABLE = "alembic_version"
_VERSION = sa.text("SELECT version_num FROM alembic_version")
_RULES = sa.text("SELECT value FROM installation WHERE name = 'rules'")


def prepare(database: Database) -> None:
    """Bring the schema to HEAD, in one transaction; other starting processes wait for it.

    Raises Refused for a schema of a newer release, of before 0.1.0 or of another program, and Busy when another process
    migrates for over a minute.
    """
    if held_revision(database) == HEAD:
        return
    with locked(database) as connection:
        held = held_revision(database)
        if held is None and database.session().tables():
            raise Refused(
                f"The database {database.name} holds the tables of another program; choose another one"
            )
        if held != HEAD:
            _migrate(connection, held)


def build(database: Database, revision: str | None = None) -> None:
    """Bring the schema of a server's database that nobody else uses to a revision, or to HEAD; lock nothing."""
    revision = revision or HEAD
    if held_revision(database) != revision:
        from alembic import command

        with database.engine.begin() as connection:
            command.upgrade(alembic_config(connection), revision)


def check_prepared(database: Database) -> None:
    """Raise Refused unless the schema is at HEAD; for commands that must not change it."""
    held = held_revision(database)
    if held != HEAD:
        check_released(held)
        raise Refused(
            f"The database {database.name} has schema {held} and this release {HEAD}; bring it up to date with any"
            " command that may change it, such as `firmograph account list`"
        )


def check_released(held: str | None) -> None:
    """Raise Refused for a schema of before the first release."""
    if held is not None and held < FIRST:
        raise Refused(
            f"The database was written before 0.1.0, the first release (schema {held}), and cannot be brought up to"
            " date; choose a new database and import your files again"
        )


def revisions() -> list[str]:
    """Return all revisions of this release, oldest first."""
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", _script_location())
    return [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()][::-1]


def take_back(database: Database, revision: str) -> None:
    """Undo the migrations after a revision, in one transaction, so that an older release can open the database.

    Only data that those migrations introduced is lost. Raises Refused for a revision that is not an earlier one.
    """
    from alembic import command

    with locked(database) as connection:
        held = held_revision(database)
        check_released(held)
        known = revisions()
        earlier = known[: known.index(held)] if held in known else []
        if revision not in earlier:
            choice = f"choose one of {', '.join(earlier)}" if earlier else "there is none to go back to"
            raise Refused(f"{revision} is no version before {held}; {choice}")
        command.downgrade(alembic_config(connection), revision)


def declared_tables() -> list[sa.Table]:
    """Return the tables of all packages, each after those that it refers to."""
    for name in TABLES:
        import_module(name)
    return metadata.sorted_tables


def is_ours(session: Session) -> bool:
    """Return whether the database has a schema of this program, of any release."""
    return {_VERSION_TABLE, "installation"} <= session.tables()


def held_revision(database: Database) -> str | None:
    """Return the revision of the schema as last committed; None for an empty database."""
    # one state: reading the tables waits while another process recovers the log, and the rest cannot meet it then
    with database.read() as session:
        if _VERSION_TABLE not in session.tables():
            return None
        row = session.one(_VERSION)
        return row[0] if row else None


def held_rules(session: Session) -> str:
    """Return the rules of all records, or the state of their derivation (`ingest/merging/derivation_store.py`)."""
    row = session.one(_RULES)
    return row[0] if row else ""


@contextmanager
def locked(database: Database) -> Iterator[sa.Connection]:
    """Open a connection in a transaction that excludes other processes preparing the schema."""
    with database.engine.connect() as connection:
        connection.begin()
        try:
            (_lock_embedded if database.embedded else _lock_server)(connection)
        except sa.exc.OperationalError as error:
            raise Busy("Another process is preparing the database; try again shortly") from error
        yield connection
        connection.commit()


def _lock_embedded(connection: sa.Connection) -> None:
    raw = connection.connection.dbapi_connection
    assert raw is not None
    # the driver would begin transactions itself, but none for DDL
    raw.isolation_level = None
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {_LOCK_MILLISECONDS}")
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _lock_server(connection: sa.Connection) -> None:
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_LOCK_MILLISECONDS}")
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({INSTALLATION})")


def _migrate(connection: sa.Connection, held: str | None) -> None:
    from alembic import command

    check_released(held)
    if held is not None and held not in revisions():
        raise Refused(
            f"The database was written by a newer release of Firmograph (schema {held}); "
            "install that release, or restore a backup made by this one"
        )
    command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: sa.Connection, *, compare: bool = False) -> "Config":
    """Return Alembic's configuration for a connection from `locked`; `compare` loads the declared tables."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", _script_location())
    config.attributes["connection"] = connection
    config.attributes["compare"] = compare
    return config


def _script_location() -> str:
    return str(_MIGRATIONS).replace("%", "%%")

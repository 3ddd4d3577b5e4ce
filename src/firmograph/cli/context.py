"""What commands work on: the settings, the database with its schema prepared, and its keyring."""

import os
from pathlib import Path

from firmograph.cli.installation import find_keyring
from firmograph.kit.database import Database
from firmograph.kit.errors import Refused
from firmograph.kit.keyring import Keyring
from firmograph.schema import prepare
from firmograph.settings import Settings, load_settings

_EMBEDDED = "sqlite:///"


def open_database(settings: Settings | None = None) -> Database:
    """The database with its schema made or migrated. Raises Refused when it cannot be used."""
    import sqlite3

    settings = settings or load_settings()
    database = Database(_checked(settings.database_url))
    folder = Path(database.path).parent
    if not folder.is_dir():
        raise Refused(f"The folder {folder} of the database does not exist; create it first")
    if Path(database.path).exists() and not os.access(database.path, os.R_OK | os.W_OK):
        raise Refused(f"The database {database.path} cannot be written; change its permissions or its owner")
    try:
        prepare(database)
    except (sqlite3.DatabaseError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Refused(f"The database {database.path} cannot be opened: {reason}") from error
    return database


def _checked(url: str) -> str:
    kind, is_url, _ = url.partition("://")
    if is_url and kind != "sqlite":
        raise Refused(f"{kind} databases are not supported yet; use sqlite:///FILE.db")
    if not url.startswith(_EMBEDDED) or url.removeprefix(_EMBEDDED) in ("", ":memory:"):
        raise Refused(f"{url} is not the URL of a database file; write it as sqlite:///FILE.db")
    return url


def open_keyring(settings: Settings, database: Database) -> Keyring:
    """The keyring that belongs to the database, made on first use (`cli/installation.py`)."""
    return find_keyring(settings, database)

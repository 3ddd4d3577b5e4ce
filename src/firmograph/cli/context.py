"""What commands work on: the settings, the database with its schema prepared, and its keyring."""

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
    url = settings.database_url
    if not url.startswith(_EMBEDDED) or len(url) == len(_EMBEDDED):
        raise Refused(f"{url.partition('://')[0]} databases are not supported yet; use sqlite:///FILE.db")
    database = Database(url)
    folder = Path(database.path).parent
    if not folder.is_dir():
        raise Refused(f"The folder {folder} of the database does not exist; create it first")
    try:
        prepare(database)
    except sqlite3.DatabaseError as error:
        raise Refused(f"The database {database.path} cannot be opened: {error}") from error
    return database


def open_keyring(settings: Settings, database: Database) -> Keyring:
    """The keyring that belongs to the database, made on first use (`cli/installation.py`)."""
    return find_keyring(settings, database)

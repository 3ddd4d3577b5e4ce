"""Keyring of a database, loaded or created on first use.

The database contains digests of identities and suppressions under the keyring's hash key. Under another key, no record
would be found and no suppressed person recognised, so commands refuse to run with a wrong or missing keyring
(docs/reference/backup.md#keys).
"""

from pathlib import Path

import sqlalchemy as sa

from firmograph.database.connection import INSTALLATION, Database, Session
from firmograph.kit.errors import Refused
from firmograph.security.keyring import Keyring, create_keyring, load_keyring, new_keyring, parse_keyring
from firmograph.security.secret_file import check_secret_file
from firmograph.settings import Settings

_RECORDED = sa.text("SELECT value FROM installation WHERE name = 'keyring'")
_RECORD = sa.text("INSERT INTO installation (name, value) VALUES ('keyring', :fingerprint)")
# accounts and their keys do not depend on the keyring
_IN_USE = sa.text(
    "SELECT EXISTS (SELECT 1 FROM contacts) OR EXISTS (SELECT 1 FROM companies)"
    " OR EXISTS (SELECT 1 FROM suppressions)"
)


def keyring_path(settings: Settings, database: Database) -> Path:
    """Return the key file: as set, or next to the embedded database, else in the current folder."""
    return Path(settings.keys_file or f"{database.companion}.keys")


def adopt_keyring(
    settings: Settings,
    database: Database,
    fingerprint: str | None,
    archived: Keyring | None,
    *,
    origin: str = "the backup",
    only_check: bool = False,
) -> bool:
    """Ensure that the keyring of a backup is configured; return whether its key file was created from the backup.

    Raises Refused if it is neither configured nor in the backup, or if another one is configured, which may be needed.
    `origin` names a database that is copied instead. With `only_check` the file is not created yet.
    """
    if fingerprint is None:
        return False
    path = keyring_path(settings, database)
    where = "FIRMOGRAPH_KEYS" if settings.keys else f"The key file {path}"
    away = "unset it" if settings.keys else "move it away"
    existing = configured_keyring(settings, database)
    created = existing is None
    if existing is None:
        if archived is None:
            raise Refused(
                f"The backup does not contain its keys, and {path} does not exist; put the key file there first"
            )
        existing = archived if only_check else _create_key_file(path, archived)
    if existing.fingerprint() != fingerprint:
        raise Refused(f"{where} has another key than {origin}; {away} if nothing needs it")
    if archived is not None and not archived.tokens.items() <= existing.tokens.items():
        raise Refused(
            f"{where} lacks a token key of {origin}, so record ids would become invalid; use that of {origin}"
        )
    return created


def ensure_keyring(settings: Settings, database: Database) -> Keyring:
    """Return the keyring of this database, whose schema is prepared. Raises Refused for a wrong one."""
    keyring = configured_keyring(settings, database)
    if keyring is not None and _recorded_fingerprint(database.session()) == keyring.fingerprint():
        return keyring
    path = keyring_path(settings, database)
    with database.write(INSTALLATION) as session:
        # checked again under the lock, because another process may have created it
        keyring = _matching_keyring(settings, database, session) or _create_key_file(path, None)
        if _recorded_fingerprint(session) is None:
            session.execute(_RECORD, {"fingerprint": keyring.fingerprint()})
    return keyring


def dry_run_keyring(settings: Settings, database: Database, copy: Database) -> Keyring:
    """Return the keyring for a dry run on a copy of the database; without one, a temporary keyring."""
    return _matching_keyring(settings, database, copy.session()) or new_keyring()


def _matching_keyring(settings: Settings, database: Database, session: Session) -> Keyring | None:
    """Return the configured keyring; None without one, if the database needs none yet. Raises Refused."""
    keyring, recorded = configured_keyring(settings, database), _recorded_fingerprint(session)
    where = "FIRMOGRAPH_KEYS" if settings.keys else str(keyring_path(settings, database))
    if keyring is None and (recorded or session.one(_IN_USE) == (1,)):
        raise Refused(f"The key file {where} is missing; restore it: the database cannot be read without it")
    if keyring is not None and recorded not in (None, keyring.fingerprint()):
        raise Refused(f"{where} is not the key of this database; restore the right one")
    return keyring


def _create_key_file(path: Path, keyring: Keyring | None) -> Keyring:
    try:
        return create_keyring(path, keyring)
    except OSError as error:
        raise Refused(f"The key file {path} cannot be created: {error.strerror}") from error


def _recorded_fingerprint(session: Session) -> str | None:
    row = session.one(_RECORDED)
    return row[0] if row else None


def configured_keyring(settings: Settings, database: Database) -> Keyring | None:
    """Return the keyring of the settings or the key file, unchecked against the database; None without one."""
    if settings.keys:
        return parse_keyring(settings.keys, "FIRMOGRAPH_KEYS")
    path = keyring_path(settings, database)
    try:
        keyring = load_keyring(path)
    except OSError as error:
        raise Refused(f"The key file {path} cannot be read: {error.strerror}") from error
    if keyring is not None:
        check_secret_file(path, "the key file", settings.key_file_check)
    return keyring

"""Which keyring belongs to a database: found, or made on first use, and never mistaken for another.

Digests of identities and suppressions stand in the database under the keyring's hash key. Under another key no
record would be found and nobody suppressed would be recognised, so a start with the wrong key, or without the
one the data was written under, is refused (docs/reference/backup.md#keys).
"""

import sys
from pathlib import Path

import sqlalchemy as sa

from firmograph.database.connection import INSTALLATION, Database, Session
from firmograph.kit.errors import Refused
from firmograph.security.keyring import Keyring, create_keyring, load_keyring, new_keyring, parse_keyring
from firmograph.settings import Settings

_RECORDED = sa.text("SELECT value FROM installation WHERE name = 'keyring'")
_RECORD = sa.text("INSERT INTO installation (name, value) VALUES ('keyring', :fingerprint)")
# accounts and their keys do not depend on the keyring
_IN_USE = sa.text(
    "SELECT EXISTS (SELECT 1 FROM contacts) OR EXISTS (SELECT 1 FROM companies)"
    " OR EXISTS (SELECT 1 FROM suppressions)"
)


def keyring_path(settings: Settings, database: Database) -> Path:
    """The key file: as set, or beside the embedded database, else in the current folder."""
    return Path(settings.keys_file or f"{database.companion}.keys")


def adopt_keyring(
    settings: Settings, database: Database, fingerprint: str | None, brought: Keyring | None
) -> bool:
    """Have at hand the keyring that a backup was written under; whether its key file was made from the backup.

    Raises Refused when it is neither here nor in the backup, or another one is here: that may be needed.
    """
    if fingerprint is None:
        return False
    path = keyring_path(settings, database)
    where = "FIRMOGRAPH_KEYS" if settings.keys else f"The key file {path}"
    away = "unset it" if settings.keys else "move it away"
    held = configured_keyring(settings, database)
    made = held is None
    if held is None:
        if brought is None:
            raise Refused(
                f"The backup was made without its keys, and there is none at {path}; put the key file there first"
            )
        held = _made(path, brought)
    if held.fingerprint() != fingerprint:
        raise Refused(
            f"{where} holds another key than the backup was written under; {away} if nothing needs it"
        )
    if brought is not None and not brought.tokens.items() <= held.tokens.items():
        raise Refused(
            f"{where} lacks a token key that the backup has, so ids would lose their meaning; use the backup's"
        )
    return made


def ensure_keyring(settings: Settings, database: Database) -> Keyring:
    """The keyring of this database, whose schema is prepared. Raises Refused rather than use a wrong one."""
    given = configured_keyring(settings, database)
    if given is not None and _recorded(database.session()) == given.fingerprint():
        return given
    with database.write(INSTALLATION) as session:
        # looked for again now that no other process can be making it
        given = _right_keyring(settings, database, session) or _made(keyring_path(settings, database), None)
        if _recorded(session) is None:
            session.execute(_RECORD, {"fingerprint": given.fingerprint()})
    return given


def dry_run_keyring(settings: Settings, database: Database, rehearsed: Database) -> Keyring:
    """The same for a rehearsal of the database: where there is no keyring yet, one that nobody keeps."""
    return _right_keyring(settings, database, rehearsed.session()) or new_keyring()


def _right_keyring(settings: Settings, database: Database, session: Session) -> Keyring | None:
    """The one that is held; None where there is none, and nothing was written under one. Raises Refused."""
    given, recorded = configured_keyring(settings, database), _recorded(session)
    where = "FIRMOGRAPH_KEYS" if settings.keys else str(keyring_path(settings, database))
    if given is None and (recorded or session.one(_IN_USE) == (1,)):
        raise Refused(f"The key file {where} is missing; restore it: the database cannot be read without it")
    if given is not None and recorded not in (None, given.fingerprint()):
        raise Refused(f"{where} is not the key that the database was written under; restore the right one")
    return given


def _made(path: Path, keyring: Keyring | None) -> Keyring:
    try:
        return create_keyring(path, keyring)
    except OSError as error:
        raise Refused(f"The key file {path} cannot be made: {error.strerror}") from error


def _recorded(session: Session) -> str | None:
    row = session.one(_RECORDED)
    return row[0] if row else None


def configured_keyring(settings: Settings, database: Database) -> Keyring | None:
    """The keyring that is set or in the key file, whatever the database was written under; None if there is none."""
    if settings.keys:
        return parse_keyring(settings.keys, "FIRMOGRAPH_KEYS")
    path = keyring_path(settings, database)
    try:
        keyring = load_keyring(path)
    except OSError as error:
        raise Refused(f"The key file {path} cannot be read: {error.strerror}") from error
    if keyring is not None and path.stat().st_mode & 0o077:
        print(f"Warning: others can read the key file {path}; run chmod 600 on it", file=sys.stderr)
    return keyring

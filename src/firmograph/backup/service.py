"""The rules of backup and restore (decisions D)."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from firmograph import __version__
from firmograph.backup import archive, store
from firmograph.backup.archive import Archive, Kind, Manifest, Told
from firmograph.backup.preserved_erasures import Carried
from firmograph.database.connection import Database, Session
from firmograph.database.schema import HEAD, prepare
from firmograph.kit.atomic_files import written_aside
from firmograph.kit.clock import Clock, iso
from firmograph.kit.errors import Refused
from firmograph.security.keyring import Keyring

_KINDS: Final[dict[Kind, str]] = {"sqlite": "the embedded database", "postgresql": "PostgreSQL"}

Watch = Callable[[str], Told]
"""Makes what is told of the progress of a stretch of the work, by its name."""


def kind_of(url: str) -> Kind:
    return "sqlite" if url.startswith("sqlite") else "postgresql"


class Means(Protocol):
    """What copies a database of one kind and puts a copy back."""

    def dump(self, database: Database, to: Path, told: Told) -> store.State: ...

    def restore(
        self, database: Database, archive: Archive, guard: Callable[[Session], None], told: Told
    ) -> Carried: ...


def _means(database: Database) -> Means:
    if database.embedded:
        from firmograph.backup import sqlite

        return sqlite
    from firmograph.backup import postgresql

    return postgresql


class Made(NamedTuple):
    """A backup that was made."""

    manifest: Manifest
    foreign: list[str]
    """What a restore will refuse, as the program did not make it."""


def back_up(
    database: Database,
    keyring: Keyring | None,
    file: Path,
    clock: Clock,
    *,
    replace: bool,
    watch: Watch,
    with_keys: bool = True,
) -> Made:
    """Write a database, as it is at one moment, to a file of mode 600; what is in it.

    The keys, if given, sign it, and are in it unless `with_keys` is false. The file is whole or not there. Raises
    Refused when it exists and may not be replaced, or the keys are others than the database was written under.
    """
    with written_aside(file, replace=replace) as draft:
        at = clock.seconds()
        dumped = draft.with_name("database")
        state = _means(database).dump(database, dumped, watch("Copying"))
        if keyring is not None and state.keyring not in (None, keyring.fingerprint()):
            raise Refused(
                "The key file is not the one that the database was written under; restore the right one"
            )
        manifest = Manifest(
            made_at=iso(at),
            release=__version__,
            kind=kind_of(database.url),
            schema=state.schema,
            keyring=state.keyring,
            holds=state.holds,
        )
        archive.write(draft, manifest, dumped, keyring, at, watch("Writing"), with_keys=with_keys)
    return Made(manifest, state.foreign)


def check(backup: Archive, url: str, told: Told) -> None:
    """Raises Refused when a backup is damaged, or not for the kind of database at a URL, or this release."""
    manifest = backup.manifest
    kind = kind_of(url)
    if manifest.kind != kind:
        raise Refused(
            f"The backup is one of {_KINDS[manifest.kind]}, and the database is {_KINDS[kind]}; "
            "set FIRMOGRAPH_DATABASE_URL to a database of the backup's kind"
        )
    if manifest.schema > HEAD:
        raise Refused(
            f"The backup was made by the newer release {manifest.release} (schema {manifest.schema}); "
            "install that one to restore it"
        )
    backup.check(told)
    keyring = backup.keyring()
    if keyring is not None and manifest.keyring not in (None, keyring.fingerprint()):
        raise backup.damaged("its keys are not those of its database")


def authenticate(backup: Archive, keyring: Keyring | None, *, unsigned: bool) -> None:
    """Raises Refused unless a backup was signed with these keys, or with none and may be `unsigned`.

    Where the keys are the backup's own this proves nothing. Keys under which its database was not written, or none, are
    for `take_keyring` to refuse.
    """
    if not backup.is_signed():
        if not unsigned:
            raise Refused(
                "The backup carries no MAC: an older release made it, or it was made without the key file, or "
                "somebody changed it. If you trust where it comes from, restore it with --unsigned"
            )
    elif (
        keyring is not None
        and backup.manifest.keyring in (None, keyring.fingerprint())
        and not backup.is_signed_by(keyring)
    ):
        raise Refused("The backup was changed after it was made: its MAC differs; restore another one")


def restore(backup: Archive, database: Database, *, force: bool, watch: Watch) -> Carried:
    """Put a checked backup in the place of a database; all of it happens, in one commit, or nothing.

    From a database in use, which needs `force`, it takes over who was suppressed or erased and which keys and
    accounts were shut since the backup (`carry.py`). Raises Refused when the database is in use and `force` is not
    given, or when it was written under other keys: then its suppressions would mean nothing in the copy.
    """

    def guard(session: Session) -> None:
        refuse_in_use(session, backup.manifest, force)

    carried = _means(database).restore(database, backup, guard, watch("Restoring"))
    prepare(database)
    return carried


def refuse_in_use(session: Session, manifest: Manifest, force: bool) -> None:
    """Raises Refused when a database may not be replaced by a backup."""
    if not store.is_in_use(session):
        return
    if not force:
        raise Refused(
            "The database is in use: --force puts the backup in its place, without what came since, and keeps "
            "out whom it has suppressed or shut out"
        )
    keyring = store.keyring(session)
    if None not in (keyring, manifest.keyring) and keyring != manifest.keyring:
        raise Refused(
            "The database is in use under other keys than the backup's, so its suppressions would be lost; "
            "restore to another database"
        )

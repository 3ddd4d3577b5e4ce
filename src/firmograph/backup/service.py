"""Rules of backup and restore (docs/reference/backup.md#restore)."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from firmograph import __version__
from firmograph.backup import archive, store
from firmograph.backup.archive import Archive, Kind, Manifest, Progress
from firmograph.backup.protections import Preserved, Protections
from firmograph.database.connection import Database, Session
from firmograph.database.schema import FIRST, HEAD
from firmograph.kit.atomic_files import atomic_write
from firmograph.kit.clock import Clock, iso
from firmograph.kit.errors import Refused
from firmograph.security.keyring import Keyring

KIND_NAMES: Final[dict[Kind, str]] = {"sqlite": "the embedded database", "postgresql": "PostgreSQL"}

ProgressFactory = Callable[[str], Progress]
"""Factory of the progress callback for a named phase."""


def kind_of(url: str) -> Kind:
    return "sqlite" if url.startswith("sqlite") else "postgresql"


class Stage(Protocol):
    """Restored copy of a database, and the swap that puts it in place."""

    copy: Database

    def swap(self, complete: Callable[[Session], None]) -> None: ...


class BackupEngine(Protocol):
    """Dump and restore for one kind of database."""

    def dump(self, database: Database, to: Path, progress: Progress) -> store.DatabaseState: ...

    def stage(
        self, database: Database, archive: Archive, progress: Progress
    ) -> AbstractContextManager[Stage]: ...


def _engine(database: Database) -> BackupEngine:
    if database.embedded:
        from firmograph.backup import sqlite

        return sqlite
    from firmograph.backup import postgresql

    return postgresql


class BackupResult(NamedTuple):
    """Created backup."""

    manifest: Manifest
    foreign: list[str]
    """Objects that a restore will refuse, as this program did not create them."""


def back_up(
    database: Database,
    keyring: Keyring | None,
    file: Path,
    clock: Clock,
    *,
    replace: bool,
    progress_of: ProgressFactory,
    with_keys: bool = True,
) -> BackupResult:
    """Write a snapshot of a database to a file of mode 600.

    The keys, if given, sign it and are included unless `with_keys` is false. The file is written completely or not at
    all. Raises Refused if it exists and `replace` is not set, or if the database was written under other keys.
    """
    with atomic_write(file, replace=replace) as draft:
        at = clock.seconds()
        dump = draft.with_name("database")
        state = _engine(database).dump(database, dump, progress_of("Copying"))
        if keyring is not None and state.keyring not in (None, keyring.fingerprint()):
            raise Refused("The database was written under another key file; restore the right one")
        manifest = Manifest(
            made_at=iso(at),
            release=__version__,
            kind=kind_of(database.url),
            schema=state.schema,
            keyring=state.keyring,
            holds=state.holds,
        )
        archive.write_archive(draft, manifest, dump, keyring, at, progress_of("Writing"), with_keys=with_keys)
    return BackupResult(manifest, state.foreign)


def check(backup: Archive, url: str, progress: Progress) -> None:
    """Verify a backup's checksums, database kind, release and keys. Raises Refused."""
    manifest = backup.manifest
    kind = kind_of(url)
    if manifest.kind != kind:
        raise Refused(
            f"The backup is of {KIND_NAMES[manifest.kind]}, but the database is {KIND_NAMES[kind]}; "
            "set FIRMOGRAPH_DATABASE_URL to a database of the backup's kind"
        )
    if manifest.schema < FIRST:
        raise Refused(
            f"The backup was made before 0.1.0, the first release (schema {manifest.schema}), and cannot be restored; "
            "import the files again that its records came from"
        )
    if manifest.schema > HEAD:
        raise Refused(
            f"The backup was made by the newer release {manifest.release} (schema {manifest.schema}); "
            "install that one to restore it"
        )
    backup.check(progress)
    keyring = backup.keyring()
    if keyring is not None and manifest.keyring not in (None, keyring.fingerprint()):
        raise backup.damaged("its keys are not those of its database")


def authenticate(backup: Archive, keyring: Keyring | None, *, unsigned: bool) -> None:
    """Verify a backup's MAC. Raises Refused unless these keys signed it, or it has none and `unsigned` is set.

    With the backup's own keys this proves nothing. Keys other than the database's, or none, are for `adopt_keyring` to
    refuse.
    """
    if not backup.is_signed():
        if not unsigned:
            raise Refused(
                "The backup has no MAC: it was made without the key file, or the MAC was removed. If you trust its "
                "source, restore it with --unsigned"
            )
    elif (
        keyring is not None
        and backup.manifest.keyring in (None, keyring.fingerprint())
        and not backup.is_signed_by(keyring)
    ):
        raise Refused("The backup was modified after it was made: its MAC differs; restore another one")


def restore(
    backup: Archive,
    database: Database,
    protections: Protections,
    *,
    force: bool,
    progress_of: ProgressFactory,
) -> Preserved:
    """Replace a database by a checked backup, in one commit.

    People are erased from the copy while the database goes on. It is then put in place under the database's writer,
    unless somebody was suppressed or removed since: then these are erased first.

    From a database in use, which needs `force`, it preserves suppressions, erasures and revocations made since the
    backup. Raises Refused if the database is in use without `force`, or was written under other keys, so that its
    suppressions would mean nothing in the copy.
    """
    preserved = Preserved()
    with _engine(database).stage(database, backup, progress_of("Restoring")) as stage:

        def complete(replaced: Session) -> None:
            nonlocal preserved
            refuse_in_use(replaced, backup.manifest, force)
            if not protections.are_complete(replaced, stage.copy.session()):
                raise _PeopleLacking
            preserved = preserved.plus(protections.preserve(replaced, stage.copy, backup.manifest.made_at))

        while True:
            erased = protections.erase(database, stage.copy)
            preserved = preserved.plus(erased)
            if any(erased):
                stage.copy.clear_remains()
            try:
                stage.swap(complete)
            except _PeopleLacking:
                continue
            return preserved


class _PeopleLacking(Exception):
    """People were suppressed or removed after others had been erased from a copy."""


def refuse_in_use(session: Session, manifest: Manifest, force: bool) -> None:
    """Raise Refused if a backup may not replace the database."""
    if not store.is_in_use(session):
        return
    if not force:
        raise Refused(
            "The database is in use: --force overwrites it with the backup, which loses later changes but keeps its "
            "suppressions and revoked keys"
        )
    keyring = store.read_keyring(session)
    if None not in (keyring, manifest.keyring) and keyring != manifest.keyring:
        raise Refused(
            "The database is in use under other keys than the backup's, so its suppressions would be lost; "
            "restore to another database"
        )

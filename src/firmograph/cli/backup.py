"""Commands `firmograph backup` and `firmograph restore` (docs/reference/backup.md)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import plural
from firmograph.kit.clock import SystemClock
from firmograph.kit.errors import Refused
from firmograph.kit.machine_errors import refuse_machine_errors
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.database.connection import Database
    from firmograph.security.keyring import Keyring
    from firmograph.settings import Settings

app = typer.Typer(no_args_is_help=True)

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command(epilog=examples("firmograph backup /mnt/backups/firmograph.backup --force"))
def backup(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write; protect it like the database.")
    ],
    without_keys: Annotated[
        bool,
        typer.Option(
            "--without-keys", help="Leave out the key file; a restore then needs it from elsewhere."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a snapshot of the database and its keys to one file that only you can read.

    Servers and imports may keep running. The file is written completely or not at all.
    """
    from firmograph.backup.service import back_up
    from firmograph.cli.context import open_existing_database
    from firmograph.cli.progress import byte_progress

    settings = load_settings()
    database = open_existing_database(settings)
    keyring = _find_keyring(settings, database, needed=not without_keys)
    with refuse_machine_errors(f"The backup {file} cannot be written"), byte_progress() as progress_of:
        manifest, foreign = back_up(
            database,
            keyring,
            file,
            SystemClock(),
            replace=force,
            progress_of=progress_of,
            with_keys=not without_keys,
        )
    database.close()
    for what in foreign:
        typer.echo(
            f"Warning: the database has a {what} that this program did not create; a restore will refuse it",
            err=True,
        )
    if keyring is None:
        typer.echo("Without the key file the backup has no MAC, so its restore needs --unsigned", err=True)
    report = {
        "file": str(file),
        "bytes": file.stat().st_size,
        "keys": keyring is not None and not without_keys,
        "signed": keyring is not None,
        **msgspec.to_builtins(manifest),
    }
    if as_json:
        typer.echo(msgspec.json.encode(report))
        return
    typer.echo(f"Written to {file}: {_format_counts(report['holds'])}.")
    if not report["keys"]:
        typer.echo(
            "It does not contain the keys: keep the key file too, as the backup cannot be used without it."
        )


@app.command(
    epilog=examples(
        "firmograph restore /mnt/backups/firmograph.backup",
        "firmograph restore /mnt/backups/firmograph.backup --force --database sqlite:///restored.db",
    )
)
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file written by `firmograph backup`.")],
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Overwrite a database in use. Later suppressions and revoked keys are kept.",
        ),
    ] = False,
    unsigned: Annotated[
        bool,
        typer.Option(
            "--unsigned", help="Accept a backup without a MAC, such as one made without the key file."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Replace the database by a backup, completely or not at all.

    The target is the database of FIRMOGRAPH_DATABASE_URL, which must be of the same kind. Servers may keep running.
    """
    from firmograph.backup import archive, service
    from firmograph.backup.protections import Protections
    from firmograph.bootstrap.keyring import adopt_keyring, configured_keyring
    from firmograph.cli.context import open_installation
    from firmograph.cli.progress import byte_progress
    from firmograph.cli.record_derivation import derive_records

    settings = load_settings()
    with (
        refuse_machine_errors(f"The backup {file} cannot be restored"),
        archive.open_archive(file) as archive_file,
    ):
        manifest = archive_file.manifest
        with byte_progress() as progress_of:
            service.check(archive_file, settings.database_url, progress_of("Checking"))
        installation = open_installation(settings, creates=True)
        database = installation.database
        service.refuse_in_use(database.session(), manifest, force)
        keyring = configured_keyring(settings, database) or archive_file.keyring()
        service.authenticate(archive_file, keyring, unsigned=unsigned)
        keys_written = adopt_keyring(settings, database, manifest.keyring, archive_file.keyring())
        with byte_progress() as progress_of:
            preserved = service.restore(
                archive_file, database, installation.get(Protections), force=force, progress_of=progress_of
            )
        derive_records(settings, database)
        database.close()
    report = {
        "restored": str(file),
        "keysWritten": keys_written,
        **msgspec.to_builtins(manifest),
        "carriedOver": preserved._asdict(),
    }
    if as_json:
        typer.echo(msgspec.json.encode(report))
        return
    typer.echo(f"Restored as of {manifest.made_at}: {_format_counts(report['holds'])} in the backup.")
    typer.echo(
        f"Kept from the replaced database: {preserved.suppressions:,} entries of the suppression list"
        f" ({preserved.erased:,} records erased), {preserved.revoked:,} revoked keys,"
        f" {preserved.disabled:,} disabled accounts,"
        f" {preserved.sources:,} removed {plural(preserved.sources, 'source')},"
        f" {preserved.imports:,} {plural(preserved.imports, 'import')} taken back,"
        f" {preserved.listed:,} {plural(preserved.listed, 'entry', 'entries')} of do-not-call and deletion lists."
    )


def _find_keyring(settings: "Settings", database: "Database", *, needed: bool) -> "Keyring | None":
    """Return the keyring of the database; None without one, or if it is missing and not needed."""
    from firmograph.backup.store import read_keyring as read_fingerprint
    from firmograph.bootstrap.keyring import configured_keyring, keyring_path

    fingerprint = read_fingerprint(database.session())
    if fingerprint is None:
        return None
    found = configured_keyring(settings, database)
    if found is None and needed:
        raise Refused(
            f"The key file {keyring_path(settings, database)} is missing; restore it, or omit it "
            "with --without-keys"
        )
    return found if needed or (found and found.fingerprint() == fingerprint) else None


def _format_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.items())

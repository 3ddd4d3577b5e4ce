"""`firmograph backup` and `restore` (docs/reference/backup.md)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from firmograph.cli.failures import naming
from firmograph.kit.clock import SystemClock
from firmograph.kit.errors import Refused
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.database.connection import Database
    from firmograph.security.keyring import Keyring
    from firmograph.settings import Settings

app = typer.Typer(no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def backup(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write; keep it as safe as the data.")
    ],
    without_keys: Annotated[
        bool,
        typer.Option(
            "--without-keys", help="Leave the key file out; a restore then needs it from somewhere else."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: Json = False,
) -> None:
    """Write the database, as it is at one moment, and its keys to one file that only you can read.

    Servers and imports may go on meanwhile. The file is whole or not there.
    """
    from firmograph.backup.service import back_up
    from firmograph.cli.context import open_as_it_is
    from firmograph.cli.progress import moving_bytes

    settings = load_settings()
    database = open_as_it_is(settings)
    keyring = _keys_of(settings, database, needed=not without_keys)
    with naming(f"The backup {file} cannot be written"), moving_bytes() as watch:
        manifest, foreign = back_up(
            database, keyring, file, SystemClock(), replace=force, watch=watch, with_keys=not without_keys
        )
    database.close()
    for what in foreign:
        typer.echo(
            f"Warning: the database holds a {what}, which this program did not make; a restore will refuse it",
            err=True,
        )
    if keyring is None:
        typer.echo("Without the key file the backup has no MAC: its restore needs --unsigned", err=True)
    told = {
        "file": str(file),
        "bytes": file.stat().st_size,
        "keys": keyring is not None and not without_keys,
        "signed": keyring is not None,
        **msgspec.to_builtins(manifest),
    }
    if as_json:
        typer.echo(msgspec.json.encode(told))
        return
    typer.echo(f"Written to {file}: {_amounts(told['holds'])}.")
    if not told["keys"]:
        typer.echo("The keys are not in it: keep the key file as well, nothing can be read without it.")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that backup has written.")],
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Replace a database that is in use; whom it suppressed or shut out since stays out.",
        ),
    ] = False,
    unsigned: Annotated[
        bool,
        typer.Option("--unsigned", help="Take a backup without a MAC, such as one of an older release."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Put a backup in the place of the database: all of it at once, or nothing.

    It goes to the database of FIRMOGRAPH_DATABASE_URL, which is of the same kind. Servers may go on meanwhile.
    """
    from firmograph.backup import archive, service
    from firmograph.cli.context import open_database
    from firmograph.cli.installation import held_keyring, take_keyring
    from firmograph.cli.progress import moving_bytes
    from firmograph.cli.upgrading import upgrade_records

    settings = load_settings()
    with naming(f"The backup {file} cannot be restored"), archive.opened(file) as opened:
        manifest = opened.manifest
        with moving_bytes() as watch:
            service.check(opened, settings.database_url, watch("Checking"))
        database = open_database(settings)
        service.refuse_in_use(database.session(), manifest, force)
        keyring = held_keyring(settings, database) or opened.keyring()
        service.authenticate(opened, keyring, unsigned=unsigned)
        keys_written = take_keyring(settings, database, manifest.keyring, opened.keyring())
        with moving_bytes() as watch:
            carried = service.restore(opened, database, force=force, watch=watch)
        upgrade_records(settings, database)
        database.close()
    told = {
        "restored": str(file),
        "keysWritten": keys_written,
        **msgspec.to_builtins(manifest),
        "carriedOver": carried._asdict(),
    }
    if as_json:
        typer.echo(msgspec.json.encode(told))
        return
    typer.echo(f"Restored as of {manifest.made_at}: {_amounts(told['holds'])} in the backup.")
    typer.echo(
        f"Carried over: {carried.suppressions:,} suppression hashes ({carried.erased:,} records erased), "
        f"{carried.revoked:,} revoked keys, {carried.disabled:,} disabled accounts."
    )


def _keys_of(settings: "Settings", database: "Database", *, needed: bool) -> "Keyring | None":
    """The keys that the database was written under; None while there are none, or where they are missing unneeded."""
    from firmograph.backup.store import keyring as recorded
    from firmograph.cli.installation import held_keyring, keyring_path

    fingerprint = recorded(database.session())
    if fingerprint is None:
        return None
    held = held_keyring(settings, database)
    if held is None and needed:
        raise Refused(
            f"The key file {keyring_path(settings, database)} is missing; restore it, or leave it out "
            "with --without-keys"
        )
    return held if needed or (held and held.fingerprint() == fingerprint) else None


def _amounts(holds: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in holds.items())

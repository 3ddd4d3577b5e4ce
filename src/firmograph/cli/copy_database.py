"""Command `firmograph copy-database` (docs/reference/backup.md#copy-into-another-database)."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from firmograph.cli.help_texts import examples
from firmograph.kit.errors import Refused, Unavailable
from firmograph.kit.machine_errors import machine_error_text, refuse_machine_errors
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.database.connection import Database

app = typer.Typer(no_args_is_help=True)


@app.command(
    "copy-database",
    epilog=examples(
        "firmograph copy-database --to postgresql+psycopg://firmograph@localhost/firmograph",
        "firmograph copy-database --database postgresql+psycopg://firmograph@localhost/firmograph --to sqlite:///copy.db",
    ),
)
def copy_database(
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="URL",
            help="The empty database to fill: postgresql+psycopg://USER@HOST/NAME or sqlite:///FILE.db",
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Copy everything in the database into an empty one, of the same or the other kind, completely or not at all.

    End servers, workers and commands first: until it has ended, nobody else can use the database.
    """
    from firmograph.backup import copying
    from firmograph.bootstrap.keyring import adopt_keyring, ensure_keyring, keyring_path
    from firmograph.cli.context import make_database, open_installation
    from firmograph.cli.progress import phase_progress

    began = time.monotonic()
    settings = load_settings()
    target_settings = msgspec.structs.replace(settings, database_url=to)
    target = make_database(target_settings)
    installation = open_installation(settings)
    source = installation.database
    with closing(source), closing(target), _refuse_failures(target):
        fingerprint = copying.check_target(source, target)
        keyring = ensure_keyring(settings, source) if fingerprint else None
        adopt = partial(
            adopt_keyring, target_settings, target, fingerprint, keyring, origin=f"the database {source.name}"
        )
        keys_written = adopt(only_check=True)
        # so that its own connection is not taken for another process
        target.close()
        with phase_progress() as progress_of:
            result = copying.copy_database(
                source, target, installation.clock, complete=adopt, progress_of=progress_of
            )
    rows = sum(result.tables.values())
    report = {
        "copied": source.name,
        "to": target.name,
        "rows": rows,
        "tables": result.tables,
        "ledger": {"rows": result.ledger_rows, "credits": result.ledger_credits},
        "keysWritten": keys_written,
        "seconds": round(time.monotonic() - began, 3),
    }
    if as_json:
        typer.echo(msgspec.json.encode(report))
        return
    held = ", ".join(f"{result.tables[name]:,} {name}" for name in _NAMED)
    typer.echo(f"Copied to {target.name}: {held}; {rows:,} rows in all.")
    typer.echo("The counts of all tables and the sums of the ledger are those of the source.")
    if keys_written:
        typer.echo(f"Its key file is {keyring_path(target_settings, target)}.")
    typer.echo(f"{source.name} is unchanged. Set FIRMOGRAPH_DATABASE_URL before you start servers again.")


_NAMED = ("contacts", "companies", "accounts", "suppressions")
"""Tables named in the text."""


@contextmanager
def _refuse_failures(target: "Database") -> Iterator[None]:
    """Raise Refused in place of failures of databases and disks, which end a copy with nothing done."""
    try:
        with refuse_machine_errors(f"Nothing was copied to {target.name}"):
            yield
    except KeyboardInterrupt:
        raise Refused(f"Interrupted; nothing was copied to {target.name}") from None
    except Unavailable as error:
        reason = error.__cause__ and machine_error_text(error.__cause__)
        raise Refused(f"Nothing was copied to {target.name}: {reason or error.message}") from error

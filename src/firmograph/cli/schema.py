"""Command group `firmograph schema`: the version of the database, and the way back to an older one."""

from typing import Annotated

import msgspec
import typer

from firmograph.cli.context import open_existing_database
from firmograph.cli.help_texts import examples
from firmograph.cli.output import note
from firmograph.database.schema import HEAD, held_revision, take_back
from firmograph.settings import load_settings

app = typer.Typer(help="Show the version of the database, or go back to an older one.", no_args_is_help=True)


class _Schema(msgspec.Struct):
    held: str | None
    """Version of the database."""
    newest: str
    """Version of this release."""


_JSON = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command(epilog=examples("firmograph schema show"))
def show(as_json: _JSON = False) -> None:
    """Show the version of the database without changing it. Other commands bring it up to date first."""
    database = open_existing_database(load_settings())
    try:
        schema = _Schema(held_revision(database), HEAD)
    finally:
        database.close()
    if as_json:
        typer.echo(msgspec.json.encode(schema))
    elif schema.held == schema.newest:
        typer.echo(f"The database has version {schema.held}, the newest of this release")
    else:
        typer.echo(f"The database has version {schema.held}; the next command makes it {schema.newest}")


@app.command(epilog=examples("firmograph schema back 0002"))
def back(
    revision: Annotated[
        str, typer.Argument(metavar="VERSION", help="Version that the older release has, such as 0002.")
    ],
    as_json: _JSON = False,
) -> None:
    """Change the database back to an older version, so that the release of that version can be installed again.

    Data that only newer versions can hold are lost. First stop all servers and workers and make a backup. Then install
    the older release before running anything else, because each command of this one brings the database up to date.
    """
    database = open_existing_database(load_settings())
    try:
        take_back(database, revision)
        held = held_revision(database)
    finally:
        database.close()
    if as_json:
        typer.echo(msgspec.json.encode(_Schema(held, HEAD)))
        return
    typer.echo(f"The database is back at version {held}")
    note(f"Install the release of that version now: the next command of this one makes it {HEAD} again")

"""Command group `firmograph schema`: show and downgrade the database schema."""

from typing import Annotated

import msgspec
import typer

from firmograph.cli.context import open_existing_database
from firmograph.database.schema import HEAD, held_revision, take_back
from firmograph.settings import load_settings

app = typer.Typer(help="Show or downgrade the database schema.", no_args_is_help=True)


class _Schema(msgspec.Struct):
    held: str | None
    """Revision of the database."""
    newest: str
    """Revision of this release."""


_JSON = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def show(as_json: _JSON = False) -> None:
    """Show the revision of the database without changing it. All other commands migrate it first."""
    database = open_existing_database(load_settings())
    try:
        _print(_Schema(held_revision(database), HEAD), as_json)
    finally:
        database.close()


@app.command()
def back(
    revision: Annotated[str, typer.Argument(help="Revision of the older release, such as 0002.")],
    as_json: _JSON = False,
) -> None:
    """Undo the migrations after a revision, so that its release can be installed again.

    First stop all servers and workers and make a backup. Then install the older release before running anything else,
    because this release would migrate the schema again.
    """
    database = open_existing_database(load_settings())
    try:
        take_back(database, revision)
        _print(_Schema(held_revision(database), HEAD), as_json)
    finally:
        database.close()


def _print(schema: _Schema, as_json: bool) -> None:
    if as_json:
        typer.echo(msgspec.json.encode(schema))
    elif schema.held == schema.newest:
        typer.echo(f"The database has schema {schema.held}, the newest of this release")
    else:
        typer.echo(f"The database has schema {schema.held}; this release would migrate it to {schema.newest}")

"""`firmograph schema`: which schema a database has, and the way back to an older release's."""

from typing import Annotated

import msgspec
import typer

from firmograph.cli.context import open_existing_database
from firmograph.database.schema import HEAD, held_revision, take_back
from firmograph.settings import load_settings

app = typer.Typer(
    help="The schema of the database: which it is, and back to an older release's.", no_args_is_help=True
)


class _Schema(msgspec.Struct):
    held: str | None
    """The revision that the database has."""
    newest: str
    """The revision of this release."""


_JSON = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def show(as_json: _JSON = False) -> None:
    """Tell which revision the database has, without changing it. Every other command brings it up to date first."""
    database = open_existing_database(load_settings())
    try:
        _tell(_Schema(held_revision(database), HEAD), as_json)
    finally:
        database.close()


@app.command()
def back(
    revision: Annotated[str, typer.Argument(help="The older release's revision, such as 0002.")],
    as_json: _JSON = False,
) -> None:
    """Undo the migrations after a revision, so that the release that made it can be installed again.

    Stop every server and worker first, make a backup, and install the older release before running anything else: this
    release would bring the schema up to date again.
    """
    database = open_existing_database(load_settings())
    try:
        take_back(database, revision)
        _tell(_Schema(held_revision(database), HEAD), as_json)
    finally:
        database.close()


def _tell(schema: _Schema, as_json: bool) -> None:
    if as_json:
        typer.echo(msgspec.json.encode(schema))
    elif schema.held == schema.newest:
        typer.echo(f"The database has schema {schema.held}, the newest that this release knows")
    else:
        typer.echo(f"The database has schema {schema.held}; this release would bring it to {schema.newest}")

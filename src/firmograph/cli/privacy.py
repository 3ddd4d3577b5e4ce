"""`firmograph suppress` and `unsuppress`: keep a person out, for good or until told otherwise."""

from typing import Annotated

import msgspec
import typer

from firmograph.accounts.suppression import Suppression
from firmograph.cli.context import open_database, open_keyring
from firmograph.directory.identity import Digests
from firmograph.kit.clock import SystemClock
from firmograph.kit.errors import Refused
from firmograph.kit.tokens import Tokens
from firmograph.settings import load_settings

app = typer.Typer(no_args_is_help=True)

Email = Annotated[str | None, typer.Option("--email", help="An e-mail address of the person.")]
LinkedIn = Annotated[str | None, typer.Option("--linkedin", help="The URL of the person's LinkedIn profile.")]
Id = Annotated[str | None, typer.Option("--id", help="The person's record id, as answers show it.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _suppression() -> Suppression:
    settings = load_settings()
    database = open_database(settings)
    keyring = open_keyring(settings, database)
    return Suppression(database, Digests(keyring), Tokens(keyring), SystemClock())


@app.command()
def suppress(email: Email = None, linkedin: LinkedIn = None, id: Id = None, as_json: Json = False) -> None:
    """Make a person disappear from every answer, now and after any later import.

    The record is deleted; keyed hashes of its keys stay behind to keep it out.
    """
    suppression = _suppression()
    removed = suppression.suppress(suppression.person(email=email, linkedin=linkedin, id=id))
    if as_json:
        typer.echo(msgspec.json.encode({"suppressed": True, "recordsRemoved": removed}))
    else:
        typer.echo(f"Suppressed; {removed} record{'' if removed == 1 else 's'} removed.")


@app.command()
def unsuppress(email: Email = None, linkedin: LinkedIn = None, id: Id = None, as_json: Json = False) -> None:
    """Lift a suppression, by any of the person's identifiers. The data returns with the next import."""
    suppression = _suppression()
    if not suppression.unsuppress(suppression.person(email=email, linkedin=linkedin, id=id)):
        raise Refused("Nobody is suppressed under that identifier")
    typer.echo(msgspec.json.encode({"suppressed": False}) if as_json else "No longer suppressed.")

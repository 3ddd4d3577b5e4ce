"""`firmograph suppress`, `unsuppress` and `suppressions`: keep a person out, for good or until told otherwise."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from firmograph.cli.context import open_database, open_keyring
from firmograph.cli.failures import refuse_machine_errors
from firmograph.cli.installation import configured_keyring, keyring_path
from firmograph.database.connection import Database
from firmograph.kit.clock import SystemClock
from firmograph.kit.errors import Refused
from firmograph.privacy import suppression_file
from firmograph.security.keyring import Keyring
from firmograph.settings import load_settings
from firmograph.webhooks.erasure import make_suppression

app = typer.Typer(no_args_is_help=True)
suppressions_app = typer.Typer(no_args_is_help=True, help="Take suppressions to another machine.")

Email = Annotated[str | None, typer.Option("--email", help="An e-mail address of the person.")]
LinkedIn = Annotated[str | None, typer.Option("--linkedin", help="The URL of the person's LinkedIn profile.")]
Id = Annotated[str | None, typer.Option("--id", help="The person's record id, as answers show it.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _opened() -> tuple[Database, Keyring]:
    settings = load_settings()
    database = open_database(settings)
    return database, open_keyring(settings, database)


def _erased(database: Database) -> dict[str, bool]:
    """Whether what was removed is gone from the files of an embedded database; says so where it is not."""
    erased = database.clear_remains()
    if erased is None:
        return {}
    if not erased:
        typer.echo(
            f"Copies of what was removed may still stand in {database.path} and {database.path}-wal: another process "
            "(a backup, or a search index being made) reads the database as it was before. Give the command again "
            "when that has ended",
            err=True,
        )
    return {"erased": erased}


@app.command()
def suppress(email: Email = None, linkedin: LinkedIn = None, id: Id = None, as_json: Json = False) -> None:
    """Make a person disappear from every answer, now and after any later import.

    The record is deleted with its signals, posts and mentions; keyed hashes of its keys stay behind to keep it out.
    When the command ends, the files of an embedded database hold nothing of it, or it says what is in the way.
    Accounts that were shown e-mails or phones of it are told by their opt-out subscriptions.
    """
    database, keyring = _opened()
    suppression = make_suppression(database, keyring, SystemClock())
    removed = suppression.suppress(suppression.person(email=email, linkedin=linkedin, id=id))
    erased = _erased(database)
    if as_json:
        typer.echo(msgspec.json.encode({"suppressed": True, "recordsRemoved": removed, **erased}))
    else:
        typer.echo(f"Suppressed; {removed} record{'' if removed == 1 else 's'} removed.")


@app.command()
def unsuppress(email: Email = None, linkedin: LinkedIn = None, id: Id = None, as_json: Json = False) -> None:
    """Lift a suppression, by any of the person's identifiers. The data returns with the next import."""
    suppression = make_suppression(*_opened(), SystemClock())
    if not suppression.unsuppress(suppression.person(email=email, linkedin=linkedin, id=id)):
        raise Refused("Nobody is suppressed under that identifier")
    typer.echo(msgspec.json.encode({"suppressed": False}) if as_json else "No longer suppressed.")


@suppressions_app.command("export")
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, as JSON Lines.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: Json = False,
) -> None:
    """Write keyed hashes of everybody who is suppressed, and nothing else of them, to a file.

    Kept away from this machine, it brings the suppressions back should the machine be lost.
    """
    database, keyring = _opened()
    with refuse_machine_errors(f"{file} cannot be written"):
        count = suppression_file.export_suppressions(database, keyring.fingerprint(), file, replace=force)
    if as_json:
        typer.echo(msgspec.json.encode({"file": str(file), "exported": count}))
    else:
        typer.echo(f"{count:,} hashes written to {file}.")


@suppressions_app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that export has written.")],
    as_json: Json = False,
) -> None:
    """Keep out, too, whom a file of another machine with the same keys says; their records are removed.

    None is ever lifted, and the same file again changes nothing.
    """
    settings = load_settings()
    database = open_database(settings)
    if configured_keyring(settings, database) is None:
        path = keyring_path(settings, database)
        raise Refused(
            f"There is no key file {path}; first put there the one of the machine that {file} comes from"
        )
    keyring = open_keyring(settings, database)
    with refuse_machine_errors(f"{file} cannot be read"):
        given = suppression_file.read_suppressions(file, keyring.fingerprint())
    suppression = make_suppression(database, keyring, SystemClock())
    adopted = suppression.import_keys(given.hashes, given.last_contact)
    erased = _erased(database)
    if as_json:
        typer.echo(msgspec.json.encode({"read": len(given.hashes), **adopted._asdict(), **erased}))
    else:
        typer.echo(
            f"{len(given.hashes):,} hashes read, {adopted.added:,} added; {adopted.removed:,} records removed."
        )

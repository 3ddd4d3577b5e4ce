"""Commands `firmograph suppress`, `unsuppress` and `suppressions`."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from firmograph.bootstrap.keyring import configured_keyring, keyring_path
from firmograph.cli.context import open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.output import note, plural
from firmograph.database.connection import Database
from firmograph.kit.errors import Refused
from firmograph.kit.machine_errors import refuse_machine_errors
from firmograph.privacy import suppression_file
from firmograph.privacy.suppression import Suppression
from firmograph.settings import load_settings

app = typer.Typer(no_args_is_help=True)
suppressions_app = typer.Typer(
    no_args_is_help=True, help="Move the list of suppressed people between machines."
)

Email = Annotated[str | None, typer.Option("--email", help="E-mail address of the person.")]
LinkedIn = Annotated[str | None, typer.Option("--linkedin", help="URL of the person's LinkedIn profile.")]
Id = Annotated[str | None, typer.Option("--id", help="The person's record id in API responses.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _clear_remains(database: Database) -> dict[str, bool]:
    """Clear removed data from the files of an embedded database; print a hint if that is impossible."""
    erased = database.clear_remains()
    if erased is None:
        return {}
    if not erased:
        typer.echo(
            f"{database.path} and {database.path}-wal may still contain copies of the removed data: another process "
            "(such as a backup or the build of a search index) reads an earlier state of the database. Run the "
            "command again when it has ended",
            err=True,
        )
    return {"erased": erased}


@app.command(
    epilog=examples(
        "firmograph suppress --email ann@acme.example",
        "firmograph suppress --linkedin https://www.linkedin.com/in/ann-example",
    )
)
def suppress(email: Email = None, linkedin: LinkedIn = None, id: Id = None, as_json: Json = False) -> None:
    """Remove a person from all responses, now and after later imports.

    The record is deleted with its signals, posts and mentions; only keyed hashes of its identifiers remain, to keep it
    out. At the end, the files of an embedded database contain none of its data, or the command reports the obstacle.
    Accounts that have seen its e-mails or phones are notified through their opt-out subscriptions.
    """
    installation = open_installation()
    suppression = installation.get(Suppression)
    person = suppression.person(email=email, linkedin=linkedin, id=id)
    removed = suppression.suppress(person)
    near = [] if removed else suppression.near(person)
    erased = _clear_remains(installation.database)
    if as_json:
        named = {"near": near} if near else {}
        typer.echo(msgspec.json.encode({"suppressed": True, "recordsRemoved": removed, **named, **erased}))
        return
    typer.echo(f"Suppressed; {removed} {plural(removed, 'record')} removed.")
    if near:
        note(
            "These records have the same mailbox or name and stay",
            "remove those of the person with: firmograph suppress --id ID",
        )
        for each in near:
            typer.echo(each)


@app.command(epilog=examples("firmograph unsuppress --email ann@acme.example"))
def unsuppress(email: Email = None, linkedin: LinkedIn = None, id: Id = None, as_json: Json = False) -> None:
    """Lift a suppression by any identifier of the person. The data returns with the next import."""
    suppression = open_installation().get(Suppression)
    if not suppression.unsuppress(suppression.person(email=email, linkedin=linkedin, id=id)):
        raise Refused("No suppressed person has this identifier")
    typer.echo(msgspec.json.encode({"suppressed": False}) if as_json else "No longer suppressed.")


@suppressions_app.command("export", epilog=examples("firmograph suppressions export suppressed.jsonl"))
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON Lines file to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: Json = False,
) -> None:
    """Write the list of suppressed people to a file, as keyed hashes without names or addresses.

    Store it on another machine, so that they stay out if this one is lost. A person has several entries: one for each
    e-mail address, LinkedIn profile, and name with a company.
    """
    installation = open_installation()
    fingerprint = installation.keyring.fingerprint()
    with refuse_machine_errors(f"{file} cannot be written"):
        count = suppression_file.export_suppressions(installation.database, fingerprint, file, replace=force)
    if as_json:
        typer.echo(msgspec.json.encode({"file": str(file), "exported": count}))
    else:
        typer.echo(f"Wrote {count:,} {plural(count, 'entry', 'entries')} of the suppression list to {file}")


@suppressions_app.command("import", epilog=examples("firmograph suppressions import suppressed.jsonl"))
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File written by export.")],
    as_json: Json = False,
) -> None:
    """Suppress everybody on a list that an installation with the same key file exported.

    Their records are removed. No suppression is lifted, and importing a file again changes nothing.
    """
    settings = load_settings()
    installation = open_installation(settings)
    if configured_keyring(settings, installation.database) is None:
        path = keyring_path(settings, installation.database)
        raise Refused(
            f"The key file {path} does not exist; first put the one of the installation that exported {file} there"
        )
    fingerprint = installation.keyring.fingerprint()
    with refuse_machine_errors(f"{file} cannot be read"):
        exported = suppression_file.read_suppressions(file, fingerprint)
    adopted = installation.get(Suppression).import_keys(exported.hashes, exported.last_contact)
    erased = _clear_remains(installation.database)
    if as_json:
        typer.echo(msgspec.json.encode({"read": len(exported.hashes), **adopted._asdict(), **erased}))
    else:
        read, removed = len(exported.hashes), adopted.removed
        typer.echo(
            f"Read {read:,} {plural(read, 'entry', 'entries')}, {adopted.added:,} of them new;"
            f" removed {removed:,} {plural(removed, 'record')}"
        )

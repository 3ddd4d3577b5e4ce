"""Commands `firmograph suppress`, `unsuppress` and `suppressions`."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from firmograph.bootstrap.keyring import configured_keyring, keyring_path
from firmograph.cli.context import clear_remains, open_installation
from firmograph.cli.help_texts import examples
from firmograph.cli.output import plural
from firmograph.cli.privacy.options import Email, Id, Json, LinkedIn, PeopleFile
from firmograph.cli.privacy.output import print_suppressed
from firmograph.cli.privacy.people_file import suppress_file, unsuppress_file
from firmograph.cli.sentences import say
from firmograph.kit.errors import Refused
from firmograph.kit.machine_errors import refuse_machine_errors
from firmograph.operator_audit.service import OperatorAudit
from firmograph.privacy import suppression_file
from firmograph.privacy.suppression import Suppression
from firmograph.settings import load_settings

app = typer.Typer(no_args_is_help=True)
suppressions_app = typer.Typer(
    no_args_is_help=True, help="Move the list of suppressed people between machines."
)


@app.command(
    epilog=examples(
        "firmograph suppress --email ann@acme.example",
        "firmograph suppress --linkedin https://www.linkedin.com/in/ann-example",
        "firmograph suppress --file opt-outs.csv",
        after="Exit code 3: a line of --file names nobody, or several people.",
    )
)
def suppress(
    email: Email = None,
    linkedin: LinkedIn = None,
    id: Id = None,
    file: PeopleFile = None,
    as_json: Json = False,
) -> None:
    """Remove a person from all responses, now and after later imports.

    The record is deleted with its signals, posts and mentions; only keyed hashes of its identifiers remain, to keep it
    out. At the end, the files of an embedded database contain none of its data, or the command reports the obstacle.
    Accounts that have seen its e-mails or phones are notified through their opt-out subscriptions.
    """
    if file is not None:
        _check_alone(email, linkedin, id)
        suppress_file(file, as_json=as_json)
        return
    installation = open_installation(creates=True)
    suppression = installation.get(Suppression)
    person = suppression.person(email=email, linkedin=linkedin, id=id)
    removed = suppression.suppress(person)
    near = [] if removed else suppression.near(person)
    print_suppressed(removed, near, clear_remains(installation.database), as_json=as_json)


@app.command(
    epilog=examples(
        "firmograph unsuppress --email ann@acme.example",
        "firmograph unsuppress --file mistaken.csv",
        after="Exit code 3: a line of --file names nobody who is suppressed.",
    )
)
def unsuppress(
    email: Email = None,
    linkedin: LinkedIn = None,
    id: Id = None,
    file: PeopleFile = None,
    as_json: Json = False,
) -> None:
    """Lift a suppression by any identifier of the person. The data returns with the next import."""
    if file is not None:
        _check_alone(email, linkedin, id)
        unsuppress_file(file, as_json=as_json)
        return
    suppression = open_installation().get(Suppression)
    if not suppression.unsuppress(suppression.person(email=email, linkedin=linkedin, id=id)):
        raise Refused("No suppressed person has this identifier")
    typer.echo(msgspec.json.encode({"suppressed": False}) if as_json else "No longer suppressed.")


def _check_alone(*identifiers: str | None) -> None:
    """Raise Refused for identifiers that are given besides a file."""
    if any(each is not None for each in identifiers):
        raise Refused("Give either --file or one of --email, --linkedin and --id")


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
    OperatorAudit().record_export(
        installation.database, installation.clock.seconds(), "suppressions export", details={"entries": count}
    )
    if as_json:
        typer.echo(msgspec.json.encode({"file": str(file), "exported": count}))
    else:
        say(f"Wrote {count:,} {plural(count, 'entry', 'entries')} of the suppression list to {file}")


@suppressions_app.command("import", epilog=examples("firmograph suppressions import suppressed.jsonl"))
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File written by export.")],
    as_json: Json = False,
) -> None:
    """Suppress everybody on a list that an installation with the same key file exported.

    Their records are removed. No suppression is lifted, and importing a file again changes nothing.
    """
    settings = load_settings()
    installation = open_installation(settings, creates=True)
    if configured_keyring(settings, installation.database) is None:
        path = keyring_path(settings, installation.database)
        raise Refused(
            f"The key file {path} does not exist; first put the one of the installation that exported {file} there"
        )
    fingerprint = installation.keyring.fingerprint()
    with refuse_machine_errors(f"{file} cannot be read"):
        exported = suppression_file.read_suppressions(file, fingerprint)
    adopted = installation.get(Suppression).import_keys(exported.hashes, exported.last_contact)
    erased = clear_remains(installation.database)
    if as_json:
        typer.echo(msgspec.json.encode({"read": len(exported.hashes), **adopted._asdict(), **erased}))
    else:
        read, removed = len(exported.hashes), adopted.removed
        say(
            f"Read {read:,} {plural(read, 'entry', 'entries')}, {adopted.added:,} of them new;"
            f" removed {removed:,} {plural(removed, 'record')}"
        )

"""Commands `firmograph privacy`: answers to people who ask what is held of them (docs/privacy.md)."""

from datetime import datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import note, plural, print_json
from firmograph.cli.privacy import requested_people
from firmograph.cli.privacy.options import All, Company, Email, Id, Json, LinkedIn, Name, PeopleFile, Phone
from firmograph.kit.errors import Refused

if TYPE_CHECKING:
    from firmograph.operator_audit.types import OperatorAction

app = typer.Typer(
    no_args_is_help=True,
    help="Find, export and erase what is held of a person; keep people out who ask for it.",
)

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
_ID = "v1.aW7V1e0LcKfGrXFlfjOyGEDe_6t-e5Sk"
_SUPPRESSION_ACTIONS = {"suppress", "unsuppress", "suppressions import", "suppressions export"}


class RecipientNames(StrEnum):
    NAMES = "names"
    CATEGORIES = "categories"


@app.command(
    epilog=examples(
        "firmograph privacy find --email ann@acme.example",
        'firmograph privacy find --name "Ann Example" --company acme.example',
    )
)
def find(
    email: Email = None,
    phone: Phone = None,
    linkedin: LinkedIn = None,
    id: Id = None,
    name: Name = None,
    company: Company = None,
    as_json: Json = False,
) -> None:
    """Show what is held of a person, from which source and day, where else the person stands, and who was shown it.

    Several people with one name, number or address are listed with their ids. The search stands in `privacy log`.
    """
    from firmograph.cli.privacy.output import listed_json, print_people, print_report, report_json

    installation, identifier = requested_people.open_request(email, phone, linkedin, id, name, company)
    found = requested_people.find_people(installation, identifier)
    reports = requested_people.read_reports(installation, found)
    requested_people.record_search(installation, "privacy find", found)
    if as_json:
        several = len(reports) > 1
        print_json({"people": [listed_json(each) if several else report_json(each) for each in reports]})
    elif len(reports) > 1:
        print_people(reports)
        note(f"{len(reports):,} people", "show one with --id")
    elif reports:
        print_report(reports[0])
    else:
        note("Nobody has this telephone number" if phone else "Nobody of this name is held at this company")


@app.command(
    epilog=examples(
        f"firmograph privacy export --id {_ID} --output ann.json",
        "firmograph privacy export --email info@acme.example --all --recipients categories",
    )
)
def export(
    email: Email = None,
    phone: Phone = None,
    linkedin: LinkedIn = None,
    id: Id = None,
    name: Name = None,
    company: Company = None,
    every: All = False,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="File to write, for its owner alone.")
    ] = None,
    recipients: Annotated[
        RecipientNames, typer.Option("--recipients", help="Name recipients, or their categories alone.")
    ] = RecipientNames.NAMES,
) -> None:
    """Write all that is held of a person as one JSON object, with who was shown it.

    Its form is in docs/reference/privacy.md. Accounts are named: use `--recipients categories` where the person may not
    learn their names.
    """
    import msgspec

    from firmograph.kit.atomic_files import atomic_write
    from firmograph.kit.machine_errors import refuse_machine_errors
    from firmograph.privacy.person_reports import PersonReports

    installation, identifier = requested_people.open_request(email, phone, linkedin, id, name, company)
    found = requested_people.choose_people(installation, identifier, every=every)
    names_others = recipients is RecipientNames.NAMES
    reports = requested_people.read_reports(installation, found, names_others=names_others)
    if not any(each.places for each in reports):
        raise Refused("Nothing is held of this person")
    content = installation.get(PersonReports).export(reports)
    if output is None:
        print_json(content)
    else:
        with (
            refuse_machine_errors(f"{output} cannot be written"),
            atomic_write(output, replace=False) as draft,
        ):
            draft.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
    requested_people.record_search(installation, "privacy export", found)
    if output is not None:
        note(f"Wrote {len(reports)} {plural(len(reports), 'person', 'people')} to {output}")


@app.command(
    epilog=examples(
        "firmograph privacy erase --email ann@acme.example",
        "firmograph privacy erase --file requests.csv --yes",
        after="Exit code 3: files of this machine still hold the person, or a line of --file names nobody, or several"
        " people.",
    )
)
def erase(
    email: Email = None,
    phone: Phone = None,
    linkedin: LinkedIn = None,
    id: Id = None,
    name: Name = None,
    company: Company = None,
    file: PeopleFile = None,
    every: All = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Erase a person everywhere, keep the person out, and wait until no file of this machine holds the data.

    As `suppress`, which it is: keyed hashes remain, accounts that saw the person are notified through their opt-out
    subscriptions. Then the indexes are built again, and the database's log is emptied. At the end it prints what went,
    what stays, and what it cannot reach.
    """
    from firmograph.cli.privacy import erasure

    if file is not None:
        requested_people.check_alone(email, phone, linkedin, id, name, company)
        erasure.erase_file(file, yes=yes, as_json=as_json)
        return
    installation, identifier = requested_people.open_request(
        email, phone, linkedin, id, name, company, creates=True
    )
    found = requested_people.choose_people(installation, identifier, every=every)
    erasure.erase(
        installation, found, requested_people.read_reports(installation, found), yes=yes, as_json=as_json
    )


@app.command(
    "opt-out",
    epilog=examples(
        "firmograph privacy opt-out --email ann@acme.example --date 2026-11-20",
        "firmograph privacy opt-out --file requests.csv",
        after="Exit code 3: a line of --file names nobody, or several people.",
    ),
)
def opt_out(
    email: Email = None,
    phone: Phone = None,
    linkedin: LinkedIn = None,
    id: Id = None,
    name: Name = None,
    company: Company = None,
    file: PeopleFile = None,
    every: All = False,
    date: Annotated[
        datetime | None,
        typer.Option(
            "--date", formats=["%Y-%m-%d"], metavar="DAY", help="UTC day of the request; now by default."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Remove a person from all responses, now and after later imports, as `suppress` does.

    The day of the request is what accounts that saw the person are notified of.
    """
    from firmograph.cli.privacy import erasure
    from firmograph.cli.privacy.people_file import suppress_file

    if file is not None:
        requested_people.check_alone(email, phone, linkedin, id, name, company)
        suppress_file(file, as_json=as_json, action=erasure.OPT_OUT, date=date)
        return
    installation, identifier = requested_people.open_request(
        email, phone, linkedin, id, name, company, creates=True
    )
    requested_at = requested_people.request_time(installation, date)
    found = requested_people.choose_people(installation, identifier, every=every)
    erasure.opt_out(installation, found, requested_at, as_json=as_json)


@app.command(
    epilog=examples("firmograph privacy log", "firmograph privacy log --email ann@acme.example --all")
)
def log(
    email: Email = None,
    linkedin: LinkedIn = None,
    id: Id = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Number of the newest actions.")] = 50,
    every: Annotated[bool, typer.Option("--all", help="All actions.")] = False,
    as_json: Json = False,
) -> None:
    """List what was asked and done about people, and when; the newest action is the last.

    People are keyed hashes. With an identifier, only what was asked and done by it.
    """
    from firmograph.cli.audit import write_actions
    from firmograph.cli.context import open_installation
    from firmograph.operator_audit.service import read_actions
    from firmograph.privacy.suppression import Suppression

    installation = open_installation()
    person = None
    if email is not None or linkedin is not None or id is not None:
        person = installation.get(Suppression).person(email=email, linkedin=linkedin, id=id).digest
    with installation.database.read() as session:
        found = (
            each for each in read_actions(session) if _is_of_privacy(each) and person in (None, each.person)
        )
        actions = list(found if every else islice(found, limit))[::-1]
        has_more = next(found, None) is not None
    write_actions(actions, json=as_json)
    if has_more and not as_json:
        note(f"The newest {len(actions):,} actions", "--all shows all of them")


def _is_of_privacy(action: "OperatorAction") -> bool:
    return action.action in _SUPPRESSION_ACTIONS or action.action.startswith("privacy ")

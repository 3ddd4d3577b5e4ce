"""Commands `firmograph privacy`: answers to people who ask what is held of them (docs/privacy.md)."""

from datetime import datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, note, plural, print_json, write_table
from firmograph.cli.privacy.options import All, Company, Email, Id, Json, LinkedIn, Name, PeopleFile, Phone
from firmograph.kit.errors import Refused

if TYPE_CHECKING:
    from firmograph.installation import Installation
    from firmograph.operator_audit.types import OperatorAction
    from firmograph.privacy.person_reports import PersonReport
    from firmograph.privacy.person_search import FoundPerson, PersonIdentifier

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
    from firmograph.cli.privacy.output import print_report, report_json

    installation, identifier = _open(email, phone, linkedin, id, name, company)
    found = _find(installation, identifier)
    reports = _read(installation, found)
    _log(installation, "privacy find", found)
    if as_json:
        several = len(reports) > 1
        print_json({"people": [_listed(each) if several else report_json(each) for each in reports]})
    elif len(reports) > 1:
        _list_people(reports)
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

    installation, identifier = _open(email, phone, linkedin, id, name, company)
    found = _chosen(installation, identifier, every=every)
    reports = _read(installation, found)
    if not any(each.places for each in reports):
        raise Refused("Nothing is held of this person")
    content = installation.get(PersonReports).export(
        reports, by_category=recipients is RecipientNames.CATEGORIES
    )
    if output is None:
        print_json(content)
    else:
        with (
            refuse_machine_errors(f"{output} cannot be written"),
            atomic_write(output, replace=False) as draft,
        ):
            draft.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
    _log(installation, "privacy export", found)
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
        _check_alone(email, phone, linkedin, id, name, company)
        erasure.erase_file(file, yes=yes, as_json=as_json)
        return
    installation, identifier = _open(email, phone, linkedin, id, name, company, creates=True)
    found = _chosen(installation, identifier, every=every)
    erasure.erase(installation, found, _read(installation, found), yes=yes, as_json=as_json)


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

    if file is not None:
        _check_alone(email, phone, linkedin, id, name, company)
        erasure.opt_out_file(file, date, as_json=as_json)
        return
    installation, identifier = _open(email, phone, linkedin, id, name, company, creates=True)
    requested_at = erasure.request_time(installation, date)
    found = _chosen(installation, identifier, every=every)
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


def _open(
    email: str | None,
    phone: str | None,
    linkedin: str | None,
    id: str | None,
    name: str | None,
    company: str | None,
    *,
    creates: bool = False,
) -> "tuple[Installation, PersonIdentifier]":
    """Open the installation, once the options name one identifier."""
    from firmograph.cli.context import open_installation
    from firmograph.privacy.person_search import PersonIdentifier

    identifier = PersonIdentifier(email, phone, linkedin, id, name, company)
    return open_installation(creates=creates), identifier


def _check_alone(*identifiers: str | None) -> None:
    """Raise Refused for identifiers that are given besides a file."""
    if any(each is not None for each in identifiers):
        raise Refused("Give either --file or the identifier of one person")


def _find(installation: "Installation", identifier: "PersonIdentifier") -> "list[FoundPerson]":
    from firmograph.cli.progress import count_progress
    from firmograph.privacy.person_search import PersonSearch

    with count_progress("Contacts") as report:
        return installation.get(PersonSearch).find(identifier, report)


def _chosen(
    installation: "Installation", identifier: "PersonIdentifier", *, every: bool
) -> "list[FoundPerson]":
    """Return the people of an identifier. Raises Refused if these are none, or several without `every`."""
    found = _find(installation, identifier)
    if not found:
        named = "telephone number" if identifier.phone else "name at this company"
        raise Refused(f"Nobody has this {named}; nothing was done")
    if len(found) > 1 and not every:
        raise Refused(
            f"{len(found):,} people have this identifier, and nothing was done: `firmograph privacy find` lists their"
            " ids; give one with --id, or --all"
        )
    return found


def _read(installation: "Installation", found: "list[FoundPerson]") -> "list[PersonReport]":
    from firmograph.privacy.person_reports import PersonReports

    reports = installation.get(PersonReports)
    return [reports.read(each.people) for each in found]


def _log(installation: "Installation", action: str, found: "list[FoundPerson]") -> None:
    """Record in the audit that people were shown to the operator; one person as a keyed hash."""
    from firmograph.operator_audit.service import OperatorAudit

    OperatorAudit().record_export(
        installation.database,
        installation.clock.seconds(),
        action,
        person=found[0].person.digest if len(found) == 1 else None,
        details={"records": sum(len(each.people.records) for each in found)},
    )


def _listed(report: "PersonReport") -> dict[str, object]:
    return {"name": report.name or None, "ids": [each.id for each in report.records]}


def _list_people(reports: "list[PersonReport]") -> None:
    columns: list[Column[PersonReport]] = [
        Column("NAME", lambda each: each.name),
        Column("RECORDS", lambda each: len(each.records), 1),
        Column("ID", lambda each: each.records[0].id if each.records else None, whole=True),
    ]
    write_table(reports, columns)

"""People that commands are asked about, by one identifier."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from firmograph.kit.errors import Refused

if TYPE_CHECKING:
    from firmograph.installation import Installation
    from firmograph.privacy.person_reports import PersonReport
    from firmograph.privacy.person_search import FoundPerson, PersonIdentifier


def open_request(
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


def check_alone(*identifiers: str | None) -> None:
    """Raise Refused for identifiers that are given besides a file."""
    if any(each is not None for each in identifiers):
        raise Refused("Give either --file or the identifier of one person")


def find_people(installation: "Installation", identifier: "PersonIdentifier") -> "list[FoundPerson]":
    """Return everybody with an identifier, with a progress bar where all contacts are read."""
    from firmograph.cli.progress import count_progress
    from firmograph.privacy.person_search import PersonSearch

    with count_progress("Contacts") as report:
        return installation.get(PersonSearch).find(identifier, report)


def choose_people(
    installation: "Installation", identifier: "PersonIdentifier", *, every: bool
) -> "list[FoundPerson]":
    """Return the people of an identifier. Raises Refused if these are none, or several without `every`."""
    found = find_people(installation, identifier)
    if not found:
        named = "telephone number" if identifier.phone else "name at this company"
        raise Refused(f"Nobody has this {named}; nothing was done")
    if len(found) > 1 and not every:
        raise Refused(
            f"{len(found):,} people have this identifier, and nothing was done: `firmograph privacy find` lists their"
            " ids; give one with --id, or --all"
        )
    return found


def read_reports(
    installation: "Installation", found: "list[FoundPerson]", *, names_others: bool = True
) -> "list[PersonReport]":
    """Return the report on each person."""
    from firmograph.privacy.person_reports import PersonReports

    reports = installation.get(PersonReports)
    return [reports.read(each.people, names_others=names_others) for each in found]


def record_search(installation: "Installation", action: str, found: "list[FoundPerson]") -> None:
    """Record in the audit that people were shown to the operator; one person as a keyed hash."""
    from firmograph.operator_audit.service import OperatorAudit

    OperatorAudit().record_export(
        installation.database,
        installation.clock.seconds(),
        action,
        person=found[0].person.digest if len(found) == 1 else None,
        details={"records": sum(len(each.people.records) for each in found)},
    )


def request_time(installation: "Installation", date: datetime | None) -> float | None:
    """Return the beginning of the UTC day of a request. Raises Refused for a day that has not begun."""
    if date is None:
        return None
    at = date.replace(tzinfo=UTC).timestamp()
    if at > installation.clock.seconds():
        raise Refused("--date is the day of the request, which cannot be in the future")
    return at

"""Suppression of the people in a file, and its lifting."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import typer

from firmograph.cli.context import clear_remains, open_installation
from firmograph.cli.losses import EXIT_LOST
from firmograph.cli.output import Column, plural, print_json, write_table
from firmograph.cli.privacy.requested_people import request_time
from firmograph.cli.sentences import say
from firmograph.kit.errors import Refused
from firmograph.privacy.people_lookup import FoundPeople, PeopleLookup
from firmograph.privacy.suppression import Suppression
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.cli.given_rows import GivenRow
    from firmograph.installation import Installation

_NOT_SUPPRESSED: Final = "no suppressed person has this identifier"
_MOST_SHOWN: Final = 50
"""Failed lines that are listed without `--json`."""


class FailedLine(NamedTuple):
    """Line of a file for which nothing was done."""

    line: int
    reason: str


class SuppressedLines(NamedTuple):
    """Result of suppressing the people of a file."""

    done: int
    """People."""
    removed: int
    """Records."""
    failed: list[FailedLine]


def suppress_file(
    path: Path, *, as_json: bool, action: str = "suppress", date: datetime | None = None
) -> None:
    """Suppress the person of each line and print the counts. Exits with 3 if a line names nobody or several.

    `action` stands in the audit; `date` is the day of the requests.
    """
    rows = read_people(path)
    installation = open_installation()
    requested_at = request_time(installation, date)
    result = suppress_rows(installation, rows, action=action, requested_at=requested_at)
    erased = clear_remains(installation.database)
    report_lines(
        f"{suppressed_text(result)}.",
        {"suppressed": result.done, "recordsRemoved": result.removed},
        result.failed,
        erased,
        as_json=as_json,
    )


def suppress_rows(
    installation: "Installation",
    rows: "Sequence[GivenRow]",
    *,
    action: str = "suppress",
    requested_at: float | None = None,
) -> SuppressedLines:
    """Suppress the person of each line, each in a transaction, as an action in the audit."""
    suppression = installation.get(Suppression)
    named = [row for row in rows if not row.problem]
    found = installation.get(PeopleLookup).find([row.identifiers for row in named])
    failed = [FailedLine(row.line, row.problem) for row in rows if row.problem]
    done = removed = 0
    for row, each in zip(named, found, strict=True):
        if each.problem:
            failed.append(FailedLine(row.line, each.problem))
            continue
        removed += sum(
            suppression.suppress(person, action=action, requested_at=requested_at) for person in each.people
        )
        done += 1
    return SuppressedLines(done, removed, failed)


def suppressed_text(result: SuppressedLines) -> str:
    """Return the sentence on suppressed people, without its end."""
    people, records = plural(result.done, "person", "people"), plural(result.removed, "record")
    return f"{result.done:,} {people} suppressed; {result.removed:,} {records} removed"


def unsuppress_file(path: Path, *, as_json: bool) -> None:
    """Lift the suppression of the person of each line and print the counts. Exits with 3 if a line names nobody."""
    rows = read_people(path)
    installation = open_installation()
    suppression, lookup = installation.get(Suppression), installation.get(PeopleLookup)
    failed = []
    done = 0
    for row in rows:
        found = FoundPeople((), row.problem) if row.problem else lookup.find_suppressed(row.identifiers)
        # each identifier may be of another of the person's records
        lifted = [suppression.unsuppress(person) for person in found.people]
        done += any(lifted)
        if not any(lifted):
            failed.append(FailedLine(row.line, found.problem or _NOT_SUPPRESSED))
    message = f"{done:,} {plural(done, 'person', 'people')} no longer suppressed."
    report_lines(message, {"unsuppressed": done}, failed, {}, as_json=as_json)


def read_people(path: Path) -> "list[GivenRow]":
    """Return the rows of a file. Raises Refused if there are none."""
    from firmograph.cli.given_rows import open_given_rows

    with open_given_rows(path, Entity.CONTACT, by_phone=True) as given:
        rows = [row for row in given.rows if not row.is_skipped]
    if not rows:
        raise Refused(f"{path} has no rows")
    return rows


def report_lines(
    message: str,
    counts: Mapping[str, int],
    failed: list[FailedLine],
    more: Mapping[str, object],
    *,
    as_json: bool,
) -> None:
    """Print counts and failed lines; with JSON also more members. Exits with 3 if a line failed."""
    failed.sort()
    if as_json:
        print_json({**counts, "failed": [one._asdict() for one in failed], **more})
    else:
        say(message)
        if failed:
            _print_failed(failed)
    if failed:
        raise typer.Exit(EXIT_LOST)


def _print_failed(failed: list[FailedLine]) -> None:
    say(f"Nothing was done for {len(failed):,} {plural(len(failed), 'line')}:")
    columns: list[Column[FailedLine]] = [
        Column("LINE", lambda one: one.line),
        Column("REASON", lambda one: one.reason),
    ]
    write_table(failed[:_MOST_SHOWN], columns)
    if len(failed) > _MOST_SHOWN:
        say("and more, which --json lists")

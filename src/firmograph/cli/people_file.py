"""Suppression of the people in a file, and its lifting."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import typer

from firmograph.cli.context import clear_remains, open_installation
from firmograph.cli.losses import EXIT_LOST
from firmograph.cli.output import Column, plural, print_json, write_table
from firmograph.cli.sentences import say
from firmograph.kit.errors import Refused
from firmograph.privacy.people_lookup import FoundPeople, PeopleLookup
from firmograph.privacy.suppression import Suppression
from firmograph.security.record_ids import Entity

if TYPE_CHECKING:
    from firmograph.cli.given_rows import GivenRow

_NOT_SUPPRESSED: Final = "no suppressed person has this identifier"
_MOST_SHOWN: Final = 50
"""Failed lines that are listed without `--json`."""


class _Failed(NamedTuple):
    line: int
    reason: str


def suppress_file(path: Path, *, as_json: bool) -> None:
    """Suppress the person of each line and print the counts. Exits with 3 if a line names nobody or several."""
    rows = _read_rows(path)
    installation = open_installation()
    suppression = installation.get(Suppression)
    named = [row for row in rows if not row.problem]
    found = installation.get(PeopleLookup).find([row.identifiers for row in named])
    failed = [_Failed(row.line, row.problem) for row in rows if row.problem]
    done = removed = 0
    for row, each in zip(named, found, strict=True):
        if each.problem:
            failed.append(_Failed(row.line, each.problem))
            continue
        removed += sum(suppression.suppress(person) for person in each.people)
        done += 1
    erased = clear_remains(installation.database)
    people, records = plural(done, "person", "people"), plural(removed, "record")
    _report(
        f"{done:,} {people} suppressed; {removed:,} {records} removed.",
        {"suppressed": done, "recordsRemoved": removed},
        failed,
        erased,
        as_json=as_json,
    )


def unsuppress_file(path: Path, *, as_json: bool) -> None:
    """Lift the suppression of the person of each line and print the counts. Exits with 3 if a line names nobody."""
    rows = _read_rows(path)
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
            failed.append(_Failed(row.line, found.problem or _NOT_SUPPRESSED))
    message = f"{done:,} {plural(done, 'person', 'people')} no longer suppressed."
    _report(message, {"unsuppressed": done}, failed, {}, as_json=as_json)


def _read_rows(path: Path) -> "list[GivenRow]":
    """Return the rows of a file. Raises Refused if there are none."""
    from firmograph.cli.given_rows import open_given_rows

    with open_given_rows(path, Entity.CONTACT, by_phone=True) as given:
        rows = [row for row in given.rows if not row.is_skipped]
    if not rows:
        raise Refused(f"{path} has no rows")
    return rows


def _report(
    message: str,
    counts: Mapping[str, int],
    failed: list[_Failed],
    erased: Mapping[str, bool],
    *,
    as_json: bool,
) -> None:
    failed.sort()
    if as_json:
        print_json({**counts, "failed": [one._asdict() for one in failed], **erased})
    else:
        say(message)
        if failed:
            _print_failed(failed)
    if failed:
        raise typer.Exit(EXIT_LOST)


def _print_failed(failed: list[_Failed]) -> None:
    say(f"Nothing was done for {len(failed):,} {plural(len(failed), 'line')}:")
    columns: list[Column[_Failed]] = [
        Column("LINE", lambda one: one.line),
        Column("REASON", lambda one: one.reason),
    ]
    write_table(failed[:_MOST_SHOWN], columns)
    if len(failed) > _MOST_SHOWN:
        say("and more, which --json lists")

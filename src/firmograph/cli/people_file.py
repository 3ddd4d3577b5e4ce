"""Suppression of the people in a file."""

from pathlib import Path
from typing import Final, NamedTuple

import typer

from firmograph.cli.context import clear_remains, open_installation
from firmograph.cli.losses import EXIT_LOST
from firmograph.cli.output import Column, plural, print_json, write_table
from firmograph.kit.errors import Refused
from firmograph.privacy.people_lookup import PeopleLookup
from firmograph.privacy.suppression import Suppression
from firmograph.security.record_ids import Entity

_MOST_SHOWN: Final = 50
"""Failed lines that are listed without `--json`."""


class _Failed(NamedTuple):
    line: int
    reason: str


def suppress_file(path: Path, *, as_json: bool) -> None:
    """Suppress the person of each line and print the counts. Exits with 3 if a line names nobody or several."""
    from firmograph.cli.given_rows import open_given_rows

    with open_given_rows(path, Entity.CONTACT, by_phone=True) as given:
        rows = [row for row in given.rows if not row.is_skipped]
    if not rows:
        raise Refused(f"{path} has no rows")
    installation = open_installation()
    suppression = installation.get(Suppression)
    failed = [_Failed(row.line, row.problem) for row in rows if row.problem]
    named = [row for row in rows if not row.problem]
    found = installation.get(PeopleLookup).find([row.identifiers for row in named])
    done = removed = 0
    for row, each in zip(named, found, strict=True):
        if each.problem:
            failed.append(_Failed(row.line, each.problem))
            continue
        removed += sum(suppression.suppress(person) for person in each.people)
        done += 1
    erased = clear_remains(installation.database)
    failed.sort()
    if as_json:
        lines = [one._asdict() for one in failed]
        print_json({"suppressed": done, "recordsRemoved": removed, "failed": lines, **erased})
    else:
        people, records = plural(done, "person", "people"), plural(removed, "record")
        typer.echo(f"{done:,} {people} suppressed; {removed:,} {records} removed.")
        if failed:
            _print_failed(failed)
    if failed:
        raise typer.Exit(EXIT_LOST)


def _print_failed(failed: list[_Failed]) -> None:
    typer.echo(f"Nobody was suppressed for {len(failed):,} {plural(len(failed), 'line')}:")
    columns: list[Column[_Failed]] = [
        Column("LINE", lambda one: one.line),
        Column("REASON", lambda one: one.reason),
    ]
    write_table(failed[:_MOST_SHOWN], columns)
    if len(failed) > _MOST_SHOWN:
        typer.echo("and more, which --json lists")

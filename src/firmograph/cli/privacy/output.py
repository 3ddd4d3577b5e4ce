"""Reports on people as commands print them."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import typer

from firmograph.cli.output import Column, json_text, note, plural, print_json, write_table
from firmograph.privacy.person_reports import PersonReport, ReportedPlace, ReportedRecipient, ReportedValue

_GONE: Final = "gone"


def report_json(report: PersonReport) -> Mapping[str, object]:
    """Return a report without the entries of places."""
    return {
        "name": report.name or None,
        "ids": [each.id for each in report.records],
        "records": report.records,
        "places": [place_json(each) for each in report.places],
        "recipients": report.recipients,
    }


def place_json(place: ReportedPlace) -> Mapping[str, object]:
    """Return a place with its number of entries."""
    return {
        "place": place.place,
        "package": place.package,
        "tables": {table: len(entries) for table, entries in place.tables.items()},
        "accounts": place.accounts,
        "stays": place.stays,
    }


def print_report(report: PersonReport) -> None:
    """Print what is held, where, and who was shown it; on a pipe the places alone."""
    for record in report.records:
        note(f"{report.name or 'Contact'}: {record.id}, {len(record.rows)} {plural(len(record.rows), 'row')}")
    if sys.stdout.isatty() and report.records:
        write_table([value for record in report.records for value in record.values], _VALUES)
        typer.echo()
    write_places(report.places)
    if sys.stdout.isatty() and report.recipients:
        typer.echo()
        write_table(report.recipients, _RECIPIENTS)


def write_places(places: Iterable[ReportedPlace]) -> None:
    """Print a table of places."""
    write_table(places, _PLACES, empty="Nothing is held")


def listed_json(report: PersonReport) -> dict[str, object]:
    """Return name and ids of one of several people."""
    return {"name": report.name or None, "ids": [each.id for each in report.records]}


def print_people(reports: Sequence[PersonReport]) -> None:
    """Print several people with their ids."""
    columns: list[Column[PersonReport]] = [
        Column("NAME", lambda each: each.name),
        Column("RECORDS", lambda each: len(each.records), 1),
        Column("ID", lambda each: each.records[0].id if each.records else None, whole=True),
    ]
    write_table(reports, columns)


def print_suppressed(removed: int, near: Sequence[str], erased: Mapping[str, bool], *, as_json: bool) -> None:
    """Print the result of a suppression, with the ids of records near to an address that removed none."""
    if as_json:
        named = {"near": near} if near else {}
        print_json({"suppressed": True, "recordsRemoved": removed, **named, **erased})
        return
    typer.echo(f"Suppressed; {removed} {plural(removed, 'record')} removed.")
    print_near(near)


def print_near(near: Sequence[str]) -> None:
    """Print the ids of records near to a suppressed address that stay."""
    if near:
        note(
            "These records have the same mailbox or name and stay",
            "remove those of the person with: firmograph suppress --id ID",
        )
        for each in near:
            typer.echo(each)


def _value_text(each: ReportedValue) -> str:
    return each.value if isinstance(each.value, str) else json_text(each.value)


_VALUES: Final[Sequence[Column[ReportedValue]]] = (
    Column("FIELD", lambda each: each.path, least=20, ends=True),
    Column("VALUE", _value_text, least=20),
    Column("SOURCE", lambda each: each.source, least=9),
    Column("DAY", lambda each: each.day, 1, whole=True),
)
_PLACES: Final[Sequence[Column[ReportedPlace]]] = (
    Column("PLACE", lambda each: each.place, whole=True),
    Column("ENTRIES", lambda each: each.count),
    Column("ACCOUNTS", lambda each: ", ".join(each.accounts), 1),
    Column("AFTER AN ERASURE", lambda each: each.stays or _GONE),
)
_RECIPIENTS: Final[Sequence[Column[ReportedRecipient]]] = (
    Column("SHOWN TO", lambda each: each.kind, whole=True),
    Column("NAME", lambda each: each.name or each.account),
    Column("ACCOUNT", lambda each: each.account, 1),
    Column("DATA", lambda each: ", ".join(each.shown)),
    Column("FIRST", lambda each: each.first, whole=True),
    Column("LAST", lambda each: each.last, 1, whole=True),
)

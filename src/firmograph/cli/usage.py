"""Commands on the usage of accounts, for invoices: `usage`."""

import csv
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import Column, guard_standard_output, plural, print_json, write_table
from firmograph.kit.formula_guard import guard_formula

if TYPE_CHECKING:
    from firmograph.accounts.usage_report import UsageRow
    from firmograph.billing.types import UsageGroup

app = typer.Typer(no_args_is_help=True, help="What accounts have used, for invoices.")


class Group(StrEnum):
    KEY = "key"
    ACTION = "action"
    DAY = "day"


class EventForm(StrEnum):
    CLOUDEVENTS = "cloudevents"
    LAGO = "lago"
    STRIPE = "stripe"


class ReportFormat(StrEnum):
    CSV = "csv"


@app.command(
    "report",
    epilog=examples(
        "firmograph usage report --month 2026-11",
        "firmograph usage report --month 2026-11 --by action --format csv > usage.csv",
    ),
)
def report_usage(
    month: Annotated[str, typer.Option(metavar="YYYY-MM", help="Month, in UTC.")],
    account: Annotated[str | None, typer.Option(help="Account name or id; all accounts without it.")] = None,
    by: Annotated[Group | None, typer.Option(help="Split each account by key, action or UTC day.")] = None,
    format: Annotated[ReportFormat | None, typer.Option(help="CSV instead of a table.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show requests, errors and credits of a month, all accounts at once; the credits are those of the ledger."""
    from firmograph.accounts.usage_report import UsageReports, read_month
    from firmograph.cli.context import open_installation

    if json and format:
        raise typer.BadParameter("choose either --json or --format")
    chosen = read_month(month)
    group: UsageGroup = "account" if by is None else by.value
    rows = open_installation().get(UsageReports).report(chosen, group, account)
    if json:
        print_json({"usage": [_row_json(row, by) for row in rows]})
    elif format is ReportFormat.CSV:
        with guard_standard_output() as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(_row_fields(by))
            # a shop may name accounts as its customers wish
            writer.writerows((guard_formula(row.account), *row[1 : len(_row_fields(by))]) for row in rows)
    else:
        columns: list[Column[UsageRow]] = [
            Column("ACCOUNT", lambda row: row.account),
            Column("REQUESTS", lambda row: row.requests),
            Column("ERRORS", lambda row: row.errors),
            Column("CREDITS", lambda row: row.credits),
        ]
        if by:
            columns.insert(1, Column(by.value.upper(), lambda row: row.group, whole=True))
        write_table(rows, columns, empty="No usage")


@app.command(
    "push",
    epilog=examples(
        "firmograph usage push https://openmeter.example/api/v1/events",
        "firmograph usage push https://lago.example/api/v1/events/batch --format lago --name lago",
    ),
)
def push_usage(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where the receiver takes events.")],
    format: Annotated[EventForm, typer.Option(help="Form of the events.")] = EventForm.CLOUDEVENTS,
    name: Annotated[
        str, typer.Option(help="Name of the receiver, whose position is kept under it in the database.")
    ] = "default",
    event: Annotated[
        str, typer.Option(help="Type of the events (Lago: code, Stripe: event name).")
    ] = "firmograph_credits",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Send charges of the ledger that are new since the last push to a billing program, then end.

    The setting FIRMOGRAPH_USAGE_PUSH_AUTHORIZATION is sent as the header Authorization.
    """
    from firmograph.accounts.usage_push import PushTarget, UsagePush
    from firmograph.cli.context import open_installation

    installation = open_installation()
    authorization = installation.settings.usage_push_authorization
    target = PushTarget(url, format.value, event, authorization)
    sent = installation.get(UsagePush).push(target, name)
    if json:
        print_json({"sent": sent})
    else:
        typer.echo(f"Sent {sent:,} {plural(sent, 'event')} to {target.host}")


def _row_fields(by: Group | None) -> list[str]:
    return ["account", "requests", "errors", "credits", *([by.value] if by else [])]


def _row_json(row: "UsageRow", by: Group | None) -> dict[str, Any]:
    return dict(zip(_row_fields(by), row, strict=False))

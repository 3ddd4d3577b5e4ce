"""Commands `firmograph table run|runs|stop`."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.table.options import (
    NOBODY,
    AccountOption,
    ColumnArgument,
    Json,
    OpenTable,
    TableArgument,
    open_table,
    open_tables,
)

if TYPE_CHECKING:
    from threading import Event

    from firmograph.record_tables.types import Run

_POLL_SECONDS: Final = 0.5
_RUN_EXAMPLES = examples(
    "firmograph table run 4710021 workEmail --dry-run",
    "firmograph table run 4710021 workEmail --scope missing --most-credits 500 --wait",
)


class Scope(StrEnum):
    ALL = "all"
    MISSING = "missing"


def register_runs(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog=_RUN_EXAMPLES)(run)
    app.command("runs", epilog=examples("firmograph table runs 4710021"))(list_runs)
    app.command(epilog=examples("firmograph table stop 17"))(stop)


def run(
    table: TableArgument,
    column: ColumnArgument,
    account: AccountOption = None,
    scope: Annotated[Scope, typer.Option(help="All rows, or those never run and failed ones.")] = Scope.ALL,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show rows, cells and the most that they can cost.")
    ] = False,
    most_credits: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="End the run where it would cost more.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until a worker has done it.")] = False,
    json: Json = False,
) -> None:
    """Fill a column from what the records hold now, for credits.

    The run is accepted at once and done by `firmograph serve` or `firmograph worker`.
    """
    from firmograph.cli.output import hint, print_json
    from firmograph.cli.table.output import describe_run, run_json
    from firmograph.record_tables.column_calls.calls import ColumnCalls
    from firmograph.record_tables.runs.service import ListedRun
    from firmograph.record_tables.shapes import ActingUser, RunColumn

    without_effect = "--wait" if wait else "--most-credits"
    if dry_run and (wait or most_credits is not None):
        raise typer.BadParameter("is without effect with --dry-run", param_hint=without_effect)
    with open_table(table, account) as opened:
        if dry_run:
            _estimate(opened, column, scope, json=json)
            return
        found, given = opened.column(column), opened.table
        calls, body = (
            opened.installation.get(ColumnCalls),
            RunColumn(owner=ActingUser(NOBODY), run_scope=scope.value),
        )
        column_id = opened.column_id(found.id)
        number = calls.run(
            opened.request, body, given.entity, given.table_id, column_id, most_credits
        ).content
        if number is None:
            if json:
                print_json({"run": None})
            else:
                typer.echo("Nothing to run: all cells of this scope are filled, or in an open run")
            return
        begun = _wait(opened, number) if wait else opened.runs.find_run(opened.table, number)
    if json:
        print_json(run_json(ListedRun(begun, found.name)))
    elif wait:
        typer.echo(describe_run(begun))
    else:
        typer.echo(f"Run {begun.id} of {begun.taken:,} cells is accepted; a worker fills them")
        hint(f"See how far it is with: firmograph table runs {table}")


def _estimate(opened: OpenTable, column: str, scope: Scope, *, json: bool) -> None:
    from firmograph.cli.output import note, print_json
    from firmograph.cli.progress import count_progress
    from firmograph.cli.table.output import print_costs

    column_id = opened.column_id(opened.column(column).id)
    with count_progress("Cells") as report:
        estimate = opened.runs.estimate(opened.request, opened.table, column_id, scope.value, report)
    if json:
        print_json(
            {
                "dryRun": True,
                "rows": estimate.rows,
                "cells": estimate.cells,
                "inOpenRuns": estimate.in_open_runs,
                "mostCredits": estimate.credits,
                "costs": {
                    cost.action: {"quantity": cost.quantity, "credits": cost.credits}
                    for cost in estimate.costs
                },
            }
        )
        return
    open_cells = f"; an open run has {estimate.in_open_runs:,} cells" if estimate.in_open_runs else ""
    note(
        f"This was a dry run: {estimate.cells:,} cells of {estimate.rows:,} rows, at most"
        f" {estimate.credits:,} credits{open_cells}"
    )
    print_costs(estimate.costs)


def _wait(opened: OpenTable, number: int) -> "Run":
    """Show the progress of a run until it has ended; an interrupt leaves it to its worker."""
    from firmograph.cli.progress import count_progress
    from firmograph.cli.stop_signals import stop_event
    from firmograph.kit.errors import Refused
    from firmograph.record_tables.types import RunState

    with stop_event() as stopped, count_progress("Cells") as report:
        while True:
            run = opened.runs.find_run(opened.table, number)
            report(run.success + run.no_data + run.failed, run.taken)
            if run.state is not RunState.OPEN:
                return run
            if wait_a_moment(stopped):
                raise Refused(f"Interrupted; the run goes on. Stop it with: firmograph table stop {number}")


def wait_a_moment(stopped: "Event") -> bool:
    """Wait until the next look at a run; return whether it was interrupted."""
    return stopped.wait(_POLL_SECONDS)


def list_runs(table: TableArgument, account: AccountOption = None, json: Json = False) -> None:
    """List the runs of a table, newest first, with their rows and credits."""
    from firmograph.cli.output import hint, print_json
    from firmograph.cli.table.output import print_runs, run_json

    with open_table(table, account) as opened:
        runs = opened.runs.list_runs(opened.table)
    if json:
        print_json({"runs": [run_json(each) for each in runs]})
        return
    print_runs(runs)
    if not runs:
        hint("Begin one with: firmograph table run TABLE COLUMN")


def stop(
    number: Annotated[int, typer.Argument(metavar="RUN", min=1, help="Run, as `table runs` lists them.")],
    json: Json = False,
) -> None:
    """End a run at once. Cells that it has filled stay; the others are as before and cost nothing."""
    from firmograph.cli.output import print_json
    from firmograph.cli.table.output import describe_run, run_json
    from firmograph.record_tables.runs.service import TableRuns

    with open_tables() as installation:
        listed, was_open = installation.get(TableRuns).stop(number, installation.clock.seconds())
    if json:
        print_json(run_json(listed))
    else:
        typer.echo(f"{describe_run(listed.run)}{'' if was_open else '; it had ended before'}")

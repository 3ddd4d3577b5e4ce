"""Output of tables, rows and runs, as text or JSON."""

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import typer

from firmograph.billing.ledger import Cost
from firmograph.cli.output import Column, write_table
from firmograph.kit.clock import iso
from firmograph.kit.table_files.columns import cell_text
from firmograph.record_tables.answers import ColumnView, TableStatus, TableView
from firmograph.record_tables.export.layout import ExportCell, ExportColumn, ExportLayout, ExportRow
from firmograph.record_tables.runs.service import ListedRun
from firmograph.record_tables.types import Run, RunState

_STATES: Final = {
    RunState.OPEN: "open",
    RunState.DONE: "done",
    RunState.STOPPED: "stopped",
    RunState.BOUND_REACHED: "bound reached",
}


def print_tables(tables: Sequence[TableView]) -> None:
    write_table(tables, _TABLE_COLUMNS, empty="No tables")


def print_columns(columns: Sequence[ColumnView], *, ids: bool = False) -> None:
    write_table(columns, _COLUMN_COLUMNS, ids=ids)


def print_status(status: TableStatus, *, ids: bool = False) -> None:
    """Print a table, and on a terminal its columns."""
    print_tables([status])
    if sys.stdout.isatty():
        typer.echo()
        print_columns(status.columns, ids=ids)


def print_content(columns: Sequence[str], rows: Sequence[ExportRow], *, ids: bool) -> None:
    """Print rows of a table; a cell without a value shows its status. The last columns go first."""
    shown = [Column(name, _cell_of(index), index) for index, name in enumerate(columns)]
    write_table(rows, [*shown, Column("ID", lambda row: row.id, is_id=True)], ids=ids)


def _cell_of(index: int) -> Callable[[ExportRow], str]:
    return lambda row: _shown(row.cells[index])


def _shown(cell: ExportCell) -> str:
    if cell.value is None:
        return "" if cell.status in ("no_data", "success") else f"({cell.status})"
    return cell_text(cell.value)


def rows_json(columns: Sequence[ExportColumn], rows: Sequence[ExportRow]) -> list[Mapping[str, object]]:
    """Return rows as objects by the headings of an export with statuses."""
    layout = ExportLayout(columns, with_status=True)
    return [layout.row_object(row) for row in rows]


def run_json(listed: ListedRun) -> Mapping[str, object]:
    run = listed.run
    return {
        "run": run.id,
        "column": listed.column,
        "scope": run.scope,
        "state": _STATES[run.state].replace(" ", "_"),
        "createdAt": iso(run.created_at),
        "endedAt": None if run.ended_at is None else iso(run.ended_at),
        "rows": run.taken,
        "success": run.success,
        "noData": run.no_data,
        "failed": run.failed,
        "credits": run.credits,
        "mostCredits": run.most_credits,
        "actor": run.actor,
    }


def print_runs(runs: Sequence[ListedRun]) -> None:
    write_table(runs, _RUN_COLUMNS, empty="No runs")


def print_costs(costs: Sequence[Cost]) -> None:
    """Print what each price adds to an estimate."""
    write_table(costs, _COST_COLUMNS)


def describe_run(run: Run) -> str:
    done = run.success + run.no_data + run.failed
    return (
        f"Run {run.id} is {_STATES[run.state]}: {done:,} of {run.taken:,} cells, {run.success:,} with data,"
        f" {run.no_data:,} without, {run.failed:,} failed, {run.credits:,} credits"
    )


def _minute(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"


_TABLE_COLUMNS: Final[Sequence[Column[TableView]]] = (
    Column("NAME", lambda one: one.name),
    Column("OF", lambda one: one.entity_type, 1, whole=True),
    Column("ROWS", lambda one: one.entity_count),
    Column("COLUMNS", lambda one: one.column_count, 4),
    Column("OWNER", lambda one: one.owner.email or f"user {one.owner.id}", 2),
    Column("VISIBILITY", lambda one: one.visibility, 5, whole=True),
    Column("STATUS", lambda one: one.status, 4, whole=True),
    Column("RUNS", lambda one: "open" if one.is_processing else "", 3, whole=True),
    Column("ID", lambda one: one.table_id, whole=True),
)
_COLUMN_COLUMNS: Final[Sequence[Column[ColumnView]]] = (
    Column("COLUMN", lambda one: one.name),
    Column("KEY", lambda one: one.key or one.type, 1, whole=True),
    Column("NOT RUN", lambda one: one.rows_not_run, 2),
    Column("PROCESSING", lambda one: one.rows_processing, 3),
    Column("SUCCESS", lambda one: one.rows_success),
    Column("NO DATA", lambda one: one.rows_no_data, 2),
    Column("FAILED", lambda one: one.rows_failed, 1),
    Column("ID", lambda one: one.column_id, is_id=True),
)
_RUN_COLUMNS: Final[Sequence[Column[ListedRun]]] = (
    Column("COLUMN", lambda one: one.column or "(deleted)"),
    Column("SCOPE", lambda one: one.run.scope, 4, whole=True),
    Column("STATE", lambda one: _STATES[one.run.state], whole=True),
    Column("BEGAN", lambda one: _minute(one.run.created_at), 2, whole=True),
    Column("ROWS", lambda one: one.run.taken, 1),
    Column("SUCCESS", lambda one: one.run.success, 2),
    Column("NO DATA", lambda one: one.run.no_data, 3),
    Column("FAILED", lambda one: one.run.failed, 2),
    Column("CREDITS", lambda one: one.run.credits, 1),
    Column("MOST", lambda one: one.run.most_credits, 5),
    Column("RUN", lambda one: str(one.run.id), whole=True),
)
_COST_COLUMNS: Final[Sequence[Column[Cost]]] = (
    Column("PRICE", lambda cost: cost.action),
    Column("QUANTITY", lambda cost: cost.quantity),
    Column("CREDITS", lambda cost: cost.credits),
)

"""Output of tables, rows and runs, as text or JSON."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import typer

from firmograph.cli.output import write_rows
from firmograph.kit.clock import iso
from firmograph.kit.table_files.columns import cell_text
from firmograph.record_tables.answers import ColumnView, TableStatus, TableView
from firmograph.record_tables.export.layout import ExportCell, ExportColumn, ExportLayout, ExportRow
from firmograph.record_tables.runs.service import ListedRun
from firmograph.record_tables.types import Run, RunState

_MOST_SHOWN: Final = 60
"""Characters of a cell in a terminal table."""
_STATES: Final = {
    RunState.OPEN: "open",
    RunState.DONE: "done",
    RunState.STOPPED: "stopped",
    RunState.BOUND_REACHED: "bound reached",
}


def print_rows(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table; nothing without rows."""
    write_rows(heads, rows, sys.stdout)


def print_tables(tables: Sequence[TableView]) -> None:
    print_rows(
        ("ID", "NAME", "OF", "ROWS", "COLUMNS", "OWNER", "VISIBILITY", "STATUS", "RUNS"),
        [
            (
                one.table_id,
                one.name,
                one.entity_type,
                f"{one.entity_count:,}",
                one.column_count,
                one.owner.email or f"user {one.owner.id}",
                one.visibility,
                one.status,
                "open" if one.is_processing else "",
            )
            for one in tables
        ],
    )


def print_columns(columns: Sequence[ColumnView]) -> None:
    print_rows(
        ("ID", "COLUMN", "KEY", "NOT RUN", "PROCESSING", "SUCCESS", "NO DATA", "FAILED"),
        [
            (
                one.column_id,
                one.name,
                one.key or one.type,
                one.rows_not_run,
                one.rows_processing,
                one.rows_success,
                one.rows_no_data,
                one.rows_failed,
            )
            for one in columns
        ],
    )


def print_status(status: TableStatus) -> None:
    print_tables([status])
    typer.echo()
    print_columns(status.columns)


def print_content(columns: Sequence[str], rows: Sequence[ExportRow]) -> None:
    """Print rows of a table; a cell without a value shows its status."""
    print_rows(("ID", *columns), [(row.id, *map(_shown, row.cells)) for row in rows])


def _shown(cell: ExportCell) -> str:
    if cell.value is None:
        return "" if cell.status in ("no_data", "success") else f"({cell.status})"
    text = cell_text(cell.value)
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."


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
    }


def print_runs(runs: Sequence[ListedRun]) -> None:
    print_rows(
        (
            "ID",
            "COLUMN",
            "SCOPE",
            "STATE",
            "BEGAN",
            "ROWS",
            "SUCCESS",
            "NO DATA",
            "FAILED",
            "CREDITS",
            "MOST",
        ),
        [
            (
                run.id,
                column or "(deleted)",
                run.scope,
                _STATES[run.state],
                _minute(run.created_at),
                run.taken,
                run.success,
                run.no_data,
                run.failed,
                run.credits,
                "" if run.most_credits is None else run.most_credits,
            )
            for run, column in runs
        ],
    )


def describe_run(run: Run) -> str:
    done = run.success + run.no_data + run.failed
    return (
        f"Run {run.id} is {_STATES[run.state]}: {done:,} of {run.taken:,} cells, {run.success:,} with data,"
        f" {run.no_data:,} without, {run.failed:,} failed, {run.credits:,} credits"
    )


def _minute(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"

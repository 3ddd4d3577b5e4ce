"""Stopping of open runs: what they have yet to fill stays as it was before."""

from firmograph.database.connection import AccountSession
from firmograph.record_tables.cells.grid import end_run
from firmograph.record_tables.runs import store
from firmograph.record_tables.types import RecordTable, Run, RunState


def stop_run(session: AccountSession, run: Run, at: float) -> bool:
    """Stop a run that was read in the same transaction; return False if it has ended already.

    Nothing of it is written or charged any more, not even a part that a worker has in hand.
    """
    return end_run(session, run.table_id, run.column_id, run.id, run.left, RunState.STOPPED, at)


def stop_runs_of(session: AccountSession, table: RecordTable, column_id: int | None, at: float) -> int:
    """Stop the open runs of a table, or of one of its columns; return their number."""
    return sum(
        stop_run(session, run, at)
        for run in store.select_open_runs(session, table.id)
        if column_id is None or run.column_id == column_id
    )

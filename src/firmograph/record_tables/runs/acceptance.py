"""Acceptance of a run: its cells are taken at once, in one transaction, and filled later by a worker."""

from collections.abc import Collection, Sequence

from firmograph.database.connection import AccountSession
from firmograph.record_tables.cells import counter_store
from firmograph.record_tables.cells.grid import GridEdit
from firmograph.record_tables.runs import store
from firmograph.record_tables.types import RecordTable, RunScope, TableColumn


def begin_run(
    session: AccountSession,
    table: RecordTable,
    columns: Sequence[TableColumn],
    column: TableColumn,
    scope: RunScope,
    *,
    user_id: int | None,
    request_id: str,
    at: float,
    positions: Collection[int] = (),
    most_credits: int | None = None,
    actor: str = "",
) -> int | None:
    """Begin a run over the cells of a scope that no open run has; return its number, None without such cells.

    `columns` are all of the table (`columns/store.py`, `select_every_column`), read in the same transaction as the
    table. `positions` are the rows of scope `specific`; `actor` pays for it (`caller.Spender`). The cells show
    `processing` from the commit on.
    """
    begun = begin_runs(
        session,
        table,
        columns,
        [column],
        scope,
        user_id=user_id,
        request_id=request_id,
        at=at,
        positions=positions,
        most_credits=most_credits,
        actor=actor,
    )
    return begun.get(column.id)


def begin_runs(
    session: AccountSession,
    table: RecordTable,
    columns: Sequence[TableColumn],
    chosen: Sequence[TableColumn],
    scope: RunScope,
    *,
    user_id: int | None,
    request_id: str,
    at: float,
    positions: Collection[int] = (),
    most_credits: int | None = None,
    actor: str = "",
) -> dict[int, int]:
    """Begin a run of each chosen column as `begin_run` does, over one reading of the rows; return them by column."""
    edit = GridEdit(session, table, columns)
    begun: dict[int, int] = {}
    for column in chosen:
        taken = edit.take_cells(column, scope, positions)
        if not taken.number:
            continue
        begun[column.id] = store.insert_run(
            session, table.id, column.id, user_id, scope, taken.left, request_id, at, most_credits, actor
        )
        edit.add_parts(column.id, begun[column.id], taken)
    edit.write(at)
    if begun:
        counter_store.add_to_table(session, table.id, runs=len(begun))
    return begun

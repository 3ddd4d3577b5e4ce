"""SQL that ends all open runs of a restored copy, in the caller's transaction."""

from typing import Final

import sqlalchemy as sa

from firmograph.database.connection import Session
from firmograph.record_tables.cells.counter_store import NEVER
from firmograph.record_tables.tables import (
    record_table_columns,
    record_table_run_parts,
    record_table_runs,
    record_tables,
)
from firmograph.record_tables.types import RunState

_t, _c, _r = record_tables.c, record_table_columns.c, record_table_runs.c
_LEFT: Final = ("not_run", "success", "no_data", "failed")
_FENCES: Final = 1_000_000
"""Far above every number of claims that the replaced database may have come to since the backup."""
_is_open = _r.state == int(RunState.OPEN)


def _left(name: str) -> "sa.ColumnElement[int]":
    """Return how many cells of a column open runs have yet to fill, by stored status."""
    total = sa.func.coalesce(sa.func.sum(_r[f"left_{name}"]), 0)
    return sa.select(total).where(_r.column_id == _c.id, _is_open).scalar_subquery()


_RETURN_CELLS = (
    sa.update(record_table_columns)
    .where(_c.processing != 0)
    .values(processing=0, **{name: _c[name] + _left(name) for name in _LEFT})
)
_FORGET_RUNS = sa.update(record_tables).where(_t.open_runs != 0).values(open_runs=0)
_END_RUNS = (
    sa.update(record_table_runs)
    .where(_is_open)
    .values(
        state=int(RunState.STOPPED),
        ended_at=_r.due_at,
        due_at=NEVER,
        lease_until=0,
        fence=_r.fence + _FENCES,
        **{f"left_{name}": 0 for name in _LEFT},
    )
)
_DELETE_PARTS = sa.delete(record_table_run_parts)


def end_runs(session: Session) -> None:
    """Stop the open runs of all tables."""
    for statement in (_RETURN_CELLS, _FORGET_RUNS, _END_RUNS, _DELETE_PARTS):
        session.execute(statement)

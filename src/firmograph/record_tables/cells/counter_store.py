"""SQL on the counters of tables, columns and runs that change together with rows and cells."""

from collections.abc import Collection, Mapping
from typing import Final

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession
from firmograph.record_tables.tables import record_table_columns, record_table_runs, record_tables
from firmograph.record_tables.types import Counters, RunState

NEVER: Final = 1e18
"""`due_at` of a run that has ended."""

_t, _c, _r = record_tables.c, record_table_columns.c, record_table_runs.c
_account = bindparam("account", type_=sa.BigInteger)
_OPEN: "sa.ColumnElement[int]" = sa.literal_column(str(int(RunState.OPEN)))

_ADD_TO_TABLE = (
    sa.update(record_tables)
    .where(_t.account_id == _account, _t.id == bindparam("table"))
    .values(
        entity_count=_t.entity_count + bindparam("rows"),
        next_position=_t.next_position + bindparam("positions"),
        open_runs=_t.open_runs + bindparam("runs"),
        removals=_t.removals + bindparam("removed"),
    )
)
_ADD_TO_COLUMN = (
    sa.update(record_table_columns)
    .where(_c.account_id == bindparam("account"), _c.id == bindparam("column"))
    .values({name: _c[name] + bindparam(f"add_{name}") for name in Counters._fields})
)
_LEFT: Final = ("not_run", "success", "no_data", "failed")
_REDUCE_LEFT = (
    sa.update(record_table_runs)
    .where(_r.account_id == bindparam("account"), _r.id == bindparam("run"))
    .values({f"left_{name}": _r[f"left_{name}"] - bindparam(f"less_{name}") for name in _LEFT})
)
_FILLED = sa.select(_r.id).where(
    _r.account_id == _account,
    column_in(_r.id, "runs"),
    _r.state == _OPEN,
    _r.left_not_run + _r.left_success + _r.left_no_data + _r.left_failed == sa.literal_column("0"),
)
_END = (
    sa.update(record_table_runs)
    .where(_r.account_id == bindparam("account"), _r.id == bindparam("run"), _r.state == _OPEN)
    .values(
        state=bindparam("ended"),
        ended_at=bindparam("at"),
        due_at=bindparam("never"),
        left_not_run=0,
        left_success=0,
        left_no_data=0,
        left_failed=0,
    )
)


def add_to_table(
    session: AccountSession,
    table_id: int,
    *,
    rows: int = 0,
    positions: int = 0,
    runs: int = 0,
    removed: int = 0,
) -> None:
    """Add to the counters of a table; `removed` counts removals of rows."""
    changes = {"rows": rows, "positions": positions, "runs": runs, "removed": removed}
    session.execute(_ADD_TO_TABLE, {"table": table_id, **changes})


def add_to_columns(session: AccountSession, changes: Mapping[int, Counters]) -> None:
    """Add to the counters of columns. One statement."""
    session.each(
        _ADD_TO_COLUMN,
        (
            {"column": column, **{f"add_{name}": value for name, value in change._asdict().items()}}
            for column, change in sorted(changes.items())
            if any(change)
        ),
    )


def reduce_left(session: AccountSession, filled: Mapping[int, Counters]) -> None:
    """Reduce what runs have yet to fill, by stored status. One statement."""
    session.each(
        _REDUCE_LEFT,
        (
            {"run": run, **{f"less_{name}": getattr(less, name) for name in _LEFT}}
            for run, less in sorted(filled.items())
        ),
    )


def select_filled(session: AccountSession, runs: Collection[int]) -> list[int]:
    """Return those of the runs that are open with nothing left to fill."""
    return [row[0] for row in session.all_in(_FILLED, "runs", sorted(runs))]


def end_run(session: AccountSession, run_id: int, state: RunState, at: float) -> bool:
    """Record the end of an open run with nothing left; return False if it has ended before."""
    given = {"run": run_id, "ended": int(state), "at": at, "never": NEVER}
    return bool(session.execute(_END, given).rowcount == 1)

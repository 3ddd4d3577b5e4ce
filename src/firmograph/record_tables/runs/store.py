"""SQL on runs of one account."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import sqlalchemy as sa
from msgspec import json
from sqlalchemy import bindparam

from firmograph.database.connection import AccountSession, Row, Session
from firmograph.database.upsert import insert
from firmograph.record_tables.tables import record_table_runs
from firmograph.record_tables.types import Counters, Run, RunState

_r = record_table_runs.c
_account = bindparam("account", type_=sa.BigInteger)
_BEFORE, _AFTER = Run._fields[:14], Run._fields[15:]
_LEFT = ("left_not_run", "left_success", "left_no_data", "left_failed")
_COLUMNS = [*(_r[name] for name in _BEFORE), *(_r[name] for name in _LEFT), *(_r[name] for name in _AFTER)]
_of_table = sa.select(*_COLUMNS).where(_r.account_id == _account, _r.table_id == bindparam("table"))
_OF_TABLE = _of_table.order_by(_r.id.desc()).limit(bindparam("most"))
_OPEN_OF_TABLE = _of_table.where(_r.state == int(RunState.OPEN)).order_by(_r.id)
_FIND = sa.select(*_COLUMNS).where(_r.account_id == _account, _r.id == bindparam("run"))
_ACCOUNT_OF = sa.select(_r.account_id).where(_r.id == bindparam("run"))
_INSERT = (
    insert(record_table_runs)
    .values(
        account_id=bindparam("account"),
        table_id=bindparam("table"),
        column_id=bindparam("column"),
        user_id=bindparam("user"),
        scope=bindparam("scope"),
        state=int(RunState.OPEN),
        request_id=bindparam("request"),
        created_at=bindparam("at"),
        taken=bindparam("taken"),
        success=0,
        no_data=0,
        failed=0,
        left_not_run=bindparam("not_run"),
        left_success=bindparam("left_success"),
        left_no_data=bindparam("left_no_data"),
        left_failed=bindparam("left_failed"),
        credits=0,
        most_credits=bindparam("bound"),
        quantities=b"{}",
        failures=0,
        actor=bindparam("actor"),
        due_at=bindparam("at"),
        lease_until=0,
        fence=0,
    )
    .returning(_r.id)
)
_ADD_FILLED = (
    sa.update(record_table_runs)
    .where(_r.account_id == _account, _r.id == bindparam("run"))
    .values(
        success=_r.success + bindparam("more_success"),
        no_data=_r.no_data + bindparam("more_no_data"),
        failed=_r.failed + bindparam("more_failed"),
        credits=_r.credits + bindparam("more_credits"),
        quantities=bindparam("charged"),
        failures=0,
    )
)
_SET_FAILURES = (
    sa.update(record_table_runs)
    .where(_r.account_id == _account, _r.id == bindparam("run"))
    .values(failures=bindparam("count"))
)


class Filled(NamedTuple):
    """Cells that a part of a run has filled, and what it charged."""

    success: int = 0
    no_data: int = 0
    failed: int = 0
    credits: int = 0
    quantities: Mapping[str, int] = {}


def select_runs(session: AccountSession, table_id: int, most: int) -> list[Run]:
    """Return the newest runs of a table, newest first."""
    return [_run(row) for row in session.all(_OF_TABLE, {"table": table_id, "most": most})]


def select_open_runs(session: AccountSession, table_id: int) -> list[Run]:
    """Return the open runs of a table."""
    return [_run(row) for row in session.all(_OPEN_OF_TABLE, {"table": table_id})]


def find_run(session: AccountSession, run_id: int) -> Run | None:
    row = session.one(_FIND, {"run": run_id})
    return _run(row) if row else None


def find_account(session: Session, run_id: int) -> int | None:
    """Return the account of a run, for commands of the operator."""
    row = session.one(_ACCOUNT_OF, {"run": run_id})
    return row[0] if row else None


def insert_run(
    session: AccountSession,
    table_id: int,
    column_id: int,
    user_id: int | None,
    scope: str,
    left: Counters,
    request_id: str,
    at: float,
    most_credits: int | None,
    actor: str,
) -> int:
    """Insert an open run that is due at once; return its number."""
    rows = session.all(
        _INSERT,
        {
            "table": table_id,
            "column": column_id,
            "user": user_id,
            "scope": scope,
            "request": request_id,
            "at": at,
            "taken": sum(left),
            "not_run": left.not_run,
            "left_success": left.success,
            "left_no_data": left.no_data,
            "left_failed": left.failed,
            "bound": most_credits,
            "actor": actor,
        },
    )
    return int(rows[0][0])


def add_filled(session: AccountSession, run: Run, filled: Filled) -> None:
    """Add what a part has filled and charged to a run that was read in the same transaction."""
    quantities = Counter(json.decode(run.quantities, type=dict[str, int]))
    quantities.update(filled.quantities)
    given = {
        "run": run.id,
        "more_success": filled.success,
        "more_no_data": filled.no_data,
        "more_failed": filled.failed,
        "more_credits": filled.credits,
        "charged": json.encode(quantities),
    }
    session.execute(_ADD_FILLED, given)


def set_failures(session: AccountSession, run_id: int, count: int) -> None:
    """Record how often the next part of a run has failed."""
    session.execute(_SET_FAILURES, {"run": run_id, "count": count})


def _run(row: Row) -> Run:
    before, left, after = row[:14], row[14:18], row[18:]
    not_run, success, no_data, failed = left
    run = Run._make((*before, Counters(not_run, 0, success, no_data, failed), *after))
    return run._replace(state=RunState(run.state))

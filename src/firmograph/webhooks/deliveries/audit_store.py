"""All SQL on the audit of deliveries, and on the totals of its rows.

Rows and totals change together, in a transaction of the account's scope: what is counted is what is held.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.database.upsert import insert
from firmograph.webhooks.tables import audit_logs, audit_totals
from firmograph.webhooks.types import Status


class Entry(NamedTuple):
    """One attempt, or one delivery that was withheld or cancelled: these have no status code."""

    account_id: int
    subscription: str
    """Its public id."""
    payload_id: str
    status: Status
    status_code: int | None
    url: str
    at: float
    duration_ms: int | None
    error: str | None
    acknowledgement: bytes | None = None
    credits: int = 0
    """Captured."""
    response_ms: int | None = None
    """Until the answer began; None where none did."""
    is_test: int = 0
    """1 of a test that a caller asked for."""


class Row(NamedTuple):
    """An entry as it is held."""

    id: int
    account_id: int
    subscription: str
    payload_id: str
    status: int
    status_code: int | None
    url: str
    at: float
    duration_ms: int | None
    error: str | None
    acknowledgement: bytes | None
    credits: int
    response_ms: int | None
    is_test: int


class Total(NamedTuple):
    """Of the rows of one status."""

    rows: int
    tests: int
    """Those of the rows that are tests."""
    credits: int


_a, _t = audit_logs.c, audit_totals.c

_put_total = insert(audit_totals).values({column.name: bindparam(column.name) for column in _t})
_COUNT = _put_total.on_conflict_do_update(
    index_elements=[_t.account_id, _t.subscription, _t.status],
    set_={name: _t[name] + _put_total.excluded[name] for name in ("count", "credits", "tests")},
)
_FORGET_EMPTY = sa.delete(audit_totals).where(_t.account_id == bindparam("account"), _t.count == 0)


def _of(
    columns: "sa.sql.ColumnCollection[str, sa.Column[object]]", one: bool
) -> list["sa.ColumnElement[bool]"]:
    mine = [columns["account_id"] == bindparam("account")]
    return [*mine, columns["subscription"] == bindparam("subscription")] if one else mine


def _page(one: bool, status: Status | None) -> "sa.Select[tuple[object, ...]]":
    return (
        sa.select(audit_logs)
        .where(*_of(_a, one), *_in_status(status))
        .order_by(_a.at.desc(), _a.id.desc())
        .limit(bindparam("limit", type_=sa.Integer))
        .offset(bindparam("offset", type_=sa.Integer))
    )


def _in_status(status: Status | None) -> list["sa.ColumnElement[bool]"]:
    if status is None:
        return []
    # a constant, by which the database knows the indexes that are of one status only
    constant: sa.ColumnElement[int] = sa.literal_column(f"{int(status)}")
    # most succeed: they are met on the way through all, and not gathered first by the index that is for their age
    return [
        _a.status + sa.literal_column("0") == constant if status is Status.SUCCESS else _a.status == constant
    ]


_PAGES: Final = {(one, status): _page(one, status) for one in (False, True) for status in (None, *Status)}
_TOTALS: Final = {
    one: sa.select(_t.status, sa.func.sum(_t.count), sa.func.sum(_t.tests), sa.func.sum(_t.credits))
    .where(*_of(_t, one))
    .group_by(_t.status)
    for one in (False, True)
}

_OLD = (
    sa.select(_a.id, _a.account_id)
    .where(_a.status == bindparam("status", type_=sa.SmallInteger), _a.at <= bindparam("before"))
    .order_by(_a.at)
    .limit(bindparam("most", type_=sa.Integer))
)
_DELETE = (
    sa.delete(audit_logs)
    .where(_a.id.in_(bindparam("ids", expanding=True)))
    .returning(_a.account_id, _a.subscription, _a.status, _a.credits, _a.is_test)
)


def add(session: Session, entries: Sequence[Entry]) -> None:
    """Two statements."""
    session.load(audit_logs, entries, Entry._fields)
    _count(session, ((e.account_id, e.subscription, int(e.status), 1, e.credits, e.is_test) for e in entries))


def page(
    session: Session,
    account_id: int,
    *,
    subscription: str | None,
    status: Status | None,
    limit: int,
    offset: int,
) -> list[Row]:
    """Select some rows, by the time of delivery, newest first."""
    statement = _PAGES[subscription is not None, status]
    rows = session.all(statement, {**_given(account_id, subscription), "limit": limit, "offset": offset})
    return [Row(*row) for row in rows]


def totals(session: Session, account_id: int, subscription: str | None) -> dict[Status, Total]:
    """Of each status that there are rows of, of the account or of one subscription."""
    rows = session.all(_TOTALS[subscription is not None], _given(account_id, subscription))
    # a sum of large numbers is a decimal on PostgreSQL
    return {Status(row[0]): Total(int(row[1]), int(row[2]), int(row[3])) for row in rows}


def _given(account_id: int, subscription: str | None) -> dict[str, Any]:
    return {"account": account_id} | ({} if subscription is None else {"subscription": subscription})


def old(session: Session, status: Status, before: float, most: int) -> list[tuple[int, int]]:
    """The oldest rows of a status that are from then or before, as (row, account)."""
    rows = session.all(_OLD, {"status": int(status), "before": before, "most": most})
    return [(row[0], row[1]) for row in rows]


def forget(session: Session, ids: Sequence[int]) -> int:
    """Delete rows; how many there were. Of the scopes of all their accounts."""
    gone = session.all_in(_DELETE, "ids", ids)
    _count(
        session, ((account, of, status, -1, -credits, -test) for account, of, status, credits, test in gone)
    )
    for account in sorted({row[0] for row in gone}):
        session.execute(_FORGET_EMPTY, {"account": account})
    return len(gone)


def _count(session: Session, changes: Iterable[tuple[int, str, int, int, int, int]]) -> None:
    """Add to the totals: of each row account, subscription, status, count, credits and tests."""
    sums: dict[tuple[int, str, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for account, subscription, status, *amounts in changes:
        held = sums[account, subscription, status]
        for place, amount in enumerate(amounts):
            held[place] += amount
    session.many(_COUNT, [(*key, *sums[key]) for key in sorted(sums)])

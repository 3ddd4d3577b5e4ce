"""SQL on the delivery audit and its totals.

Rows and totals change together in a transaction of the account's scope, so the totals always match the rows.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert
from firmograph.webhooks.tables import audit_logs, audit_totals
from firmograph.webhooks.types import Status


class AuditEntry(NamedTuple):
    """One attempt, or one delivery withheld or cancelled without a status code."""

    account_id: int
    subscription: str
    """Public id."""
    payload_id: str
    status: Status
    status_code: int | None
    url: str
    at: float
    duration_ms: int | None
    error: str | None
    acknowledgement: bytes | None = None
    credits: int = 0
    """Captured credits."""
    response_ms: int | None = None
    """Milliseconds until the response began; None if there was none."""
    is_test: int = 0
    """1 for a requested test."""


class Row(NamedTuple):
    """Stored audit entry."""

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
    """Sums over the rows of one status."""

    rows: int
    tests: int
    """Number of rows that are tests."""
    credits: int


_a, _t = audit_logs.c, audit_totals.c

_insert_total = insert(audit_totals).values({column.name: bindparam(column.name) for column in _t})
_ADD_TO_TOTAL = _insert_total.on_conflict_do_update(
    index_elements=[_t.account_id, _t.subscription, _t.status],
    set_={name: _t[name] + _insert_total.excluded[name] for name in ("count", "credits", "tests")},
)
_DELETE_EMPTY = sa.delete(audit_totals).where(_t.account_id == bindparam("account"), _t.count == 0)


def _owned_by(
    columns: "sa.sql.ColumnCollection[str, sa.Column[object]]", of_one: bool
) -> list["sa.ColumnElement[bool]"]:
    conditions = [columns["account_id"] == bindparam("account")]
    return [*conditions, columns["subscription"] == bindparam("subscription")] if of_one else conditions


def _page(of_one: bool, status: Status | None) -> "sa.Select[tuple[object, ...]]":
    return (
        sa.select(audit_logs)
        .where(*_owned_by(_a, of_one), *_in_status(status))
        .order_by(_a.at.desc(), _a.id.desc())
        .limit(bindparam("limit", type_=sa.Integer))
        .offset(bindparam("offset", type_=sa.Integer))
    )


def _in_status(status: Status | None) -> list["sa.ColumnElement[bool]"]:
    if status is None:
        return []
    # a constant, as partial indexes cover one status only
    constant: sa.ColumnElement[int] = sa.literal_column(f"{int(status)}")
    # most rows are successes: "+ 0" keeps the planner on the account's index instead of the one by age
    return [
        _a.status + sa.literal_column("0") == constant if status is Status.SUCCESS else _a.status == constant
    ]


_PAGES: Final = {
    (of_one, status): _page(of_one, status) for of_one in (False, True) for status in (None, *Status)
}
_TOTALS: Final = {
    of_one: sa.select(_t.status, sa.func.sum(_t.count), sa.func.sum(_t.tests), sa.func.sum(_t.credits))
    .where(*_owned_by(_t, of_one))
    .group_by(_t.status)
    for of_one in (False, True)
}

_OF_DELIVERY = (
    sa.select(audit_logs)
    .where(*_owned_by(_a, True), _a.payload_id == bindparam("payload_id"))
    .order_by(_a.at.desc(), _a.id.desc())
    .limit(1)
)
_OLD = (
    sa.select(_a.id, _a.account_id)
    .where(_a.status == bindparam("status", type_=sa.SmallInteger), _a.at <= bindparam("before"))
    .order_by(_a.at)
    .limit(bindparam("limit", type_=sa.Integer))
)
_DELETE = (
    sa.delete(audit_logs)
    .where(_a.id.in_(bindparam("ids", expanding=True)))
    .returning(_a.account_id, _a.subscription, _a.status, _a.credits, _a.is_test)
)


def add(session: Session, entries: Sequence[AuditEntry]) -> None:
    """Insert entries and update the totals, in two statements."""
    session.load(audit_logs, entries, AuditEntry._fields)
    _add_to_totals(
        session, ((e.account_id, e.subscription, int(e.status), 1, e.credits, e.is_test) for e in entries)
    )


def find_row(session: AccountSession, subscription: str, payload_id: str) -> Row | None:
    """Return the newest row of a delivery of a subscription."""
    row = session.one(_OF_DELIVERY, {"subscription": subscription, "payload_id": payload_id})
    return None if row is None else Row(*row)


def read_page(
    session: AccountSession,
    *,
    subscription: str | None,
    status: Status | None,
    limit: int,
    offset: int,
) -> list[Row]:
    """Return one page of rows, newest first."""
    statement = _PAGES[subscription is not None, status]
    rows = session.all(statement, {"subscription": subscription, "limit": limit, "offset": offset})
    return [Row(*row) for row in rows]


def read_totals(session: AccountSession, subscription: str | None) -> dict[Status, Total]:
    """Return the totals of an account or of one of its subscriptions, by status."""
    rows = session.all(_TOTALS[subscription is not None], {"subscription": subscription})
    # PostgreSQL returns sums of bigint as decimals
    return {Status(row[0]): Total(int(row[1]), int(row[2]), int(row[3])) for row in rows}


def find_older(session: Session, status: Status, before: float, limit: int) -> list[tuple[int, int]]:
    """Return the oldest rows of a status at or before a time, as (row, account)."""
    rows = session.all(_OLD, {"status": int(status), "before": before, "limit": limit})
    return [(row[0], row[1]) for row in rows]


def delete(session: Session, ids: Sequence[int]) -> int:
    """Delete rows and return how many existed. Requires the scopes of all their accounts."""
    deleted = session.all_in(_DELETE, "ids", ids)
    _add_to_totals(
        session,
        (
            (account, public_id, status, -1, -credits, -test)
            for account, public_id, status, credits, test in deleted
        ),
    )
    for account in sorted({row[0] for row in deleted}):
        _delete_empty_totals(AccountSession(session, account))
    return len(deleted)


def _delete_empty_totals(session: AccountSession) -> None:
    session.execute(_DELETE_EMPTY)


def _add_to_totals(session: Session, changes: Iterable[tuple[int, str, int, int, int, int]]) -> None:
    """Add (account, subscription, status, count, credits, tests) changes to the totals."""
    sums: dict[tuple[int, str, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for account, subscription, status, *amounts in changes:
        total = sums[account, subscription, status]
        for index, amount in enumerate(amounts):
            total[index] += amount
    session.many(_ADD_TO_TOTAL, [(*key, *sums[key]) for key in sorted(sums)])

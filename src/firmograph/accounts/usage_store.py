"""SQL statements on the use of accounts: requests by day, and the last use of keys."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import api_keys, usage_days
from firmograph.billing.types import UsageGroup
from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.columns import account_ids
from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert


class UsageDay(NamedTuple):
    """What requests are counted by."""

    account_id: int
    day: int
    """UTC day, in days since the epoch."""
    actor: str
    operation: str


# counts of accounts missing from a restored backup cannot be written, and must not prevent writing the others
_count = insert(usage_days).from_select(
    ["account_id", "day", "actor", "operation", "requests", "errors"],
    sa.select(
        account_ids.c.id,
        bindparam("day", type_=sa.Integer),
        bindparam("actor", type_=sa.Text),
        bindparam("operation", type_=sa.Text),
        bindparam("requests", type_=sa.BigInteger),
        bindparam("errors", type_=sa.BigInteger),
    ).where(account_ids.c.id == bindparam("account_id")),
)
_ADD_REQUESTS = _count.on_conflict_do_update(
    index_elements=["account_id", "day", "actor", "operation"],
    set_={
        "requests": usage_days.c.requests + _count.excluded.requests,
        "errors": usage_days.c.errors + _count.excluded.errors,
    },
)
_at = bindparam("at", type_=sa.Double)
_SET_LAST_USED = (
    sa.update(api_keys)
    .where(
        api_keys.c.account_id == bindparam("account"),
        api_keys.c.prefix == bindparam("key_prefix"),
        sa.or_(api_keys.c.last_used_at.is_(None), api_keys.c.last_used_at < _at),
    )
    .values(last_used_at=_at)
)
_OLD = BatchDeletion(usage_days, usage_days.c.day < bindparam("before"))


def add_requests(session: Session, counts: Mapping[UsageDay, tuple[int, int]]) -> None:
    """Add requests and errors of all accounts. One statement."""
    rows = [
        (day, actor, operation, requests, errors, account)
        for (account, day, actor, operation), (requests, errors) in sorted(counts.items())
    ]
    session.many(_ADD_REQUESTS, rows)


def update_last_used(session: Session, times: Mapping[tuple[int, str], float]) -> None:
    """Set the last use of keys, by account and prefix, unless a later one is known."""
    for (account, prefix), at in sorted(times.items()):
        session.execute(_SET_LAST_USED, {"account": account, "key_prefix": prefix, "at": at})


_GROUPS: dict[UsageGroup, sa.ColumnElement[Any]] = {
    "account": sa.literal_column("''", sa.Text),
    "key": usage_days.c.actor,
    "action": usage_days.c.operation,
    "day": usage_days.c.day,
}
_REQUESTS = {
    by: sa.select(
        usage_days.c.account_id,
        group.label("of"),
        sa.cast(sa.func.sum(usage_days.c.requests), sa.BigInteger),
        sa.cast(sa.func.sum(usage_days.c.errors), sa.BigInteger),
    )
    .where(usage_days.c.day >= bindparam("first"), usage_days.c.day < bindparam("end"))
    .group_by(usage_days.c.account_id, sa.text("2"))
    for by, group in _GROUPS.items()
}


def select_requests(
    session: Session, by: UsageGroup, first: int, end: int
) -> list[tuple[int, str | int, int, int]]:
    """Return account, group, requests and errors of the days from `first` up to `end`. One statement."""
    rows = session.all(_REQUESTS[by], {"first": first, "end": end})
    return [(row[0], row[1], row[2], row[3]) for row in rows]


_OWN_REQUESTS = {
    by: one.where(usage_days.c.account_id == bindparam("account")) for by, one in _REQUESTS.items()
}


def select_own_requests(
    session: AccountSession, by: UsageGroup, first: int, end: int
) -> list[tuple[str | int, int, int]]:
    """Return group, requests and errors of the account on the days from `first` up to `end`. One statement."""
    return [(row[1], row[2], row[3]) for row in session.all(_OWN_REQUESTS[by], {"first": first, "end": end})]


def delete_days_before(session: Session, day: int, most: int) -> int:
    """Delete up to `most` counts of days before a day and return their number. Two statements."""
    return _OLD.run(session, most, before=day)

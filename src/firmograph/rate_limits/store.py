"""SQL statements on rate limit counters."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.columns import account_ids
from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert
from firmograph.directory.tables import installation
from firmograph.rate_limits.tables import rate_counters

_COUNTERS = sa.select(
    rate_counters.c.account_id, rate_counters.c.window, rate_counters.c.start, rate_counters.c.count
).where(rate_counters.c.start > bindparam("since"))
# counters of accounts missing from a restored backup cannot be written, and must not prevent writing the others
_counter = insert(rate_counters).from_select(
    ["account_id", "window", "start", "count"],
    sa.select(
        account_ids.c.id,
        bindparam("window", type_=sa.Text),
        bindparam("start", type_=sa.BigInteger),
        bindparam("count", type_=sa.BigInteger),
    ).where(account_ids.c.id == bindparam("account_id")),
)
_stored, _new = rate_counters.c, _counter.excluded
_DAY: sa.ColumnElement[int] = sa.literal_column("86400", sa.BigInteger)
# Several processes write the same row in any order, so a count never decreases and an ended window never returns. Only
# a start further ahead than the longest window comes from a wrong clock and is replaced.
_UPSERT_COUNTER = _counter.on_conflict_do_update(
    index_elements=["account_id", "window"],
    set_={"start": _new.start, "count": _new["count"]},
    where=sa.or_(
        _new.start > _stored.start,
        sa.and_(_new.start == _stored.start, _new["count"] > _stored["count"]),
        _new.start < _stored.start - _DAY,
    ),
)
_ACCOUNT_COUNTERS = _COUNTERS.where(rate_counters.c.account_id == bindparam("account"))

CounterRow = tuple[int, str, int, int]
"""Account, window, start of the window in seconds since the epoch, count."""


def select_counters(session: Session, since: float) -> list[CounterRow]:
    """Return the counters of windows that began after `since`."""
    return [(row[0], row[1], row[2], row[3]) for row in session.all(_COUNTERS, (since,))]


def select_account_counters(session: AccountSession, since: float) -> list[CounterRow]:
    """Return the counters of the account whose windows began after `since`."""
    rows = session.all(_ACCOUNT_COUNTERS, {"since": since})
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def upsert_counters(session: Session, rows: Sequence[CounterRow]) -> None:
    """Write counters; for each window the later start wins, then the greater count."""
    session.many(_UPSERT_COUNTER, [(window, start, count, account) for account, window, start, count in rows])


_OLD = BatchDeletion(rate_counters, rate_counters.c.start < bindparam("before"))


def delete_old_counters(session: Session, before: int, most: int) -> int:
    """Delete up to `most` counters of windows that began before a time and return their number. Two statements."""
    return _OLD.run(session, most, before=before)


_ORIGIN = sa.select(installation.c.value).where(installation.c.name == "origin")


def select_origin(session: Session) -> str:
    """Return the identifier shared by all copies of this installation, including restored ones."""
    row = session.one(_ORIGIN)
    if row is None:
        raise LookupError("the database has no origin; its schema was not prepared")
    return str(row[0])

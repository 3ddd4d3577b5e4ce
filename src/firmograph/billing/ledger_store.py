"""SQL statements on balances and the ledger."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.billing.tables import balances, daily_spending, ledger
from firmograph.billing.types import Balance, LedgerEntry, LedgerSum, UsageGroup
from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert

_remaining = balances.c.granted - balances.c.used - balances.c.held
_BALANCE = sa.select(balances.c.granted, balances.c.used, balances.c.held).where(
    balances.c.account_id == bindparam("account")
)
_GRANT = (
    sa.update(balances)
    .where(
        balances.c.account_id == bindparam("account"),
        balances.c.granted <= bindparam("most") - bindparam("credits"),
    )
    .values(granted=balances.c.granted + bindparam("credits"))
    .returning(_remaining)
)
_TAKE_BACK = (
    sa.update(balances)
    .where(balances.c.account_id == bindparam("account"), _remaining >= bindparam("credits"))
    .values(granted=balances.c.granted - bindparam("credits"))
    .returning(_remaining)
)
# The condition and the change are one statement: two charges can never both see the last credits.
_SPEND = (
    sa.update(balances)
    .where(
        balances.c.account_id == bindparam("account"),
        _remaining >= bindparam("credits"),
    )
    .values(used=balances.c.used + bindparam("credits"))
    .returning(_remaining)
)
_BALANCES = sa.select(balances.c.account_id, balances.c.granted, balances.c.used, balances.c.held).where(
    balances.c.account_id.in_(bindparam("accounts", expanding=True))
)
# a check constraint of the table refuses holds beyond the remaining credits
_HOLD = (
    sa.update(balances)
    .where(balances.c.account_id == bindparam("account"))
    .values(held=balances.c.held + bindparam("credits"))
)
_SETTLE = (
    sa.update(balances)
    .where(balances.c.account_id == bindparam("account"))
    .values(used=balances.c.used + bindparam("captured"), held=balances.c.held - bindparam("ended"))
)


def select_balance(session: AccountSession) -> Balance:
    row = session.one(_BALANCE)
    return Balance(*row) if row else Balance(0, 0)


def grant_credits(session: AccountSession, credits: int, most: int) -> int | None:
    """Grant credits and return the remaining ones; return None, unchanged, if all grants would exceed `most`."""
    rows = session.all(_GRANT, {"credits": credits, "most": most})
    return int(rows[0][0]) if rows else None


def take_back_credits(session: AccountSession, credits: int) -> int | None:
    """Take granted credits back and return the remaining ones; return None, unchanged, if too few remain."""
    rows = session.all(_TAKE_BACK, {"credits": credits})
    return int(rows[0][0]) if rows else None


def spend_credits(session: AccountSession, credits: int) -> int | None:
    """Use credits and return the remaining ones; return None, unchanged, if too few remain."""
    rows = session.all(_SPEND, {"credits": credits})
    return int(rows[0][0]) if rows else None


def select_balances(session: Session, account_ids: Collection[int]) -> dict[int, Balance]:
    """Return the balances by account. One statement."""
    rows = session.all_in(_BALANCES, "accounts", sorted(account_ids))
    return {row[0]: Balance(*row[1:]) for row in rows}


def add_held(session: Session, held: Mapping[int, int]) -> None:
    """Hold credits by account. One statement."""
    session.many(_HOLD, [(credits, account) for account, credits in sorted(held.items())])


def reduce_held(session: Session, settled: Mapping[int, tuple[int, int]]) -> None:
    """Capture and release held credits, both by account. One statement."""
    rows = [(captured, captured + released, account) for account, (captured, released) in settled.items()]
    session.many(_SETTLE, sorted(rows, key=lambda row: row[2]))


_PAGE = 1000
_ENTRIES = (
    sa.select(ledger.c.id, *(ledger.c[name] for name in LedgerEntry._fields))
    .where(ledger.c.account_id == bindparam("account"), ledger.c.id > bindparam("after"))
    .order_by(ledger.c.id)
    .limit(_PAGE)
)


def append_entries(session: AccountSession, entries: Sequence[LedgerEntry]) -> None:
    """Append rows of the account. One statement."""
    session.load(ledger, [entry[1:] for entry in entries], LedgerEntry._fields[1:])


def append_entries_of_accounts(session: Session, entries: Sequence[LedgerEntry]) -> None:
    """Append rows of several accounts. One statement."""
    session.load(ledger, entries, LedgerEntry._fields)


def select_entries(session: AccountSession) -> Iterator[tuple[int, LedgerEntry]]:
    """Yield the account's ledger rows with their numbers, oldest first."""
    after = 0
    while rows := session.all(_ENTRIES, {"after": after}):
        for number, *fields in rows:
            yield number, LedgerEntry(*fields)
        after = rows[-1][0]


# --- reports ---

_is_charged = sa.or_(
    ledger.c.kind == sa.literal_column("'charge'"), ledger.c.kind == sa.literal_column("'capture'")
)
_seconds = sa.cast(ledger.c.at, sa.BigInteger)
# a cast to a whole number cuts in SQLite and rounds in PostgreSQL
_whole_seconds = _seconds - sa.case((_seconds > ledger.c.at, 1), else_=0)
_GROUPS: dict[UsageGroup, sa.ColumnElement[Any]] = {
    "account": sa.literal_column("''", sa.Text),
    "key": ledger.c.actor,
    "action": ledger.c.action,
    "day": _whole_seconds // sa.literal_column("86400", sa.BigInteger),
}
_CHARGED = {
    by: sa.select(
        ledger.c.account_id, group.label("of"), sa.cast(sa.func.sum(ledger.c.credits), sa.BigInteger)
    )
    .where(_is_charged, ledger.c.at >= bindparam("since"), ledger.c.at < bindparam("until"))
    .group_by(ledger.c.account_id, sa.text("2"))
    for by, group in _GROUPS.items()
}


def select_charged(
    session: Session, by: UsageGroup, since: float, until: float
) -> list[tuple[int, str | int, int]]:
    """Return account, group and credits of all charges and captures of a time. One statement, over the whole ledger."""
    return [(row[0], row[1], row[2]) for row in session.all(_CHARGED[by], {"since": since, "until": until})]


_OWN_CHARGED = {by: one.where(ledger.c.account_id == bindparam("account")) for by, one in _CHARGED.items()}


def select_own_charged(
    session: AccountSession, by: UsageGroup, since: float, until: float
) -> list[tuple[str | int, int]]:
    """Return group and credits of the account's charges and captures of a time. One statement."""
    return [(row[1], row[2]) for row in session.all(_OWN_CHARGED[by], {"since": since, "until": until})]


_SUMS = (
    sa.select(ledger.c.account_id, sa.func.count(), sa.cast(sa.func.sum(ledger.c.credits), sa.BigInteger))
    .group_by(ledger.c.account_id)
    .order_by(ledger.c.account_id)
)


def select_sums(session: Session) -> list[LedgerSum]:
    """Return the sums of the ledgers of all accounts. One statement, over the whole ledger."""
    return [LedgerSum(*row) for row in session.all(_SUMS)]


_CHARGED_AFTER = (
    sa.select(ledger.c.id, *(ledger.c[name] for name in LedgerEntry._fields))
    .where(ledger.c.account_id == bindparam("account"), ledger.c.id > bindparam("after"), _is_charged)
    .order_by(ledger.c.id)
    .limit(bindparam("most"))
)


def select_charged_after(session: AccountSession, after: int, most: int) -> list[tuple[int, LedgerEntry]]:
    """Return the account's first charges and captures after a row, with their numbers."""
    rows = session.all(_CHARGED_AFTER, {"after": after, "most": most})
    return [(number, LedgerEntry(*fields)) for number, *fields in rows]


# --- daily caps ---

_day = insert(daily_spending).values(
    account_id=bindparam("account"),
    actor=bindparam("actor"),
    day=bindparam("day"),
    credits=bindparam("credits"),
)
_more = daily_spending.c.credits + _day.excluded.credits
# one statement as well: two charges can never both see the last credits of a day
_SPEND_OF_DAY = _day.on_conflict_do_update(
    index_elements=["account_id", "actor", "day"],
    set_={"credits": _more},
    where=_more <= bindparam("cap"),
).returning(daily_spending.c.credits)
_SPENT = sa.select(daily_spending.c.credits).where(
    daily_spending.c.account_id == bindparam("account"),
    daily_spending.c.actor == bindparam("actor"),
    daily_spending.c.day == bindparam("day"),
)
_OLD_DAYS = BatchDeletion(daily_spending, daily_spending.c.day < bindparam("before"))


def spend_of_day(session: AccountSession, actor: str, day: int, credits: int, cap: int) -> bool:
    """Count credits of a day; return False, having changed nothing, if they would pass the cap. One statement."""
    if credits > cap:
        return False
    given = {"actor": actor, "day": day, "credits": credits, "cap": cap}
    return bool(session.all(_SPEND_OF_DAY, given))


def select_spent(session: AccountSession, actor: str, day: int) -> int:
    """Return the credits that a key with a cap has spent on a day."""
    row = session.one(_SPENT, {"actor": actor, "day": day})
    return int(row[0]) if row else 0


def delete_days_before(session: Session, day: int, most: int) -> int:
    """Delete up to `most` days of spending before a day and return their number. Two statements."""
    return _OLD_DAYS.run(session, most, before=day)

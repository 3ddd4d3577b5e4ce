"""SQL statements on balances, the ledger and paid units."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.billing.tables import balances, ledger, paid_units
from firmograph.billing.types import Balance, LedgerEntry
from firmograph.database.connection import Session
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


def select_balance(session: Session, account_id: int) -> Balance:
    row = session.one(_BALANCE, (account_id,))
    return Balance(*row) if row else Balance(0, 0)


def grant_credits(session: Session, account_id: int, credits: int, most: int) -> int | None:
    """Grant credits and return the remaining ones; return None, unchanged, if all grants would exceed `most`."""
    rows = session.all(_GRANT, {"account": account_id, "credits": credits, "most": most})
    return int(rows[0][0]) if rows else None


def spend_credits(session: Session, account_id: int, credits: int) -> int | None:
    """Use credits and return the remaining ones; return None, unchanged, if too few remain."""
    rows = session.all(_SPEND, {"account": account_id, "credits": credits})
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


def append_entries(session: Session, entries: Sequence[LedgerEntry]) -> None:
    session.load(ledger, entries, LedgerEntry._fields)


def select_entries(session: Session, account_id: int) -> Iterator[tuple[int, LedgerEntry]]:
    """Yield the account's ledger rows with their numbers, oldest first."""
    after = 0
    while rows := session.all(_ENTRIES, {"account": account_id, "after": after}):
        for number, *fields in rows:
            yield number, LedgerEntry(*fields)
        after = rows[-1][0]


_PAID = sa.select(paid_units.c.record_id, paid_units.c.unit).where(
    paid_units.c.account_id == bindparam("account"),
    paid_units.c.entity == bindparam("entity"),
    paid_units.c.record_id.in_(bindparam("ids", expanding=True)),
    paid_units.c.paid_at > bindparam("since"),
)
_paid_insert = insert(paid_units).values(
    {
        "account_id": bindparam("account_id"),
        "entity": bindparam("entity"),
        "record_id": bindparam("record_id"),
        "unit": bindparam("unit"),
        "first_paid_at": bindparam("first_paid_at"),
        "paid_at": bindparam("paid_at"),
        "request_id": bindparam("request_id"),
    }
)
_UPSERT_PAID = _paid_insert.on_conflict_do_update(
    index_elements=["account_id", "entity", "record_id", "unit"],
    set_={"paid_at": _paid_insert.excluded.paid_at, "request_id": _paid_insert.excluded.request_id},
)

PaidRow = tuple[int, int, int, str, float, float, str]
"""Account, entity, record, unit, time first paid, time last paid, request."""


def select_paid(
    session: Session, account_id: int, entity: int, ids: Sequence[int], since: float
) -> set[tuple[int, str]]:
    """Return the units of these records paid by the account after `since`, as (record, unit)."""
    rows = session.all_in(_PAID, "ids", ids, account=account_id, entity=entity, since=since)
    return {(row[0], row[1]) for row in rows}


def upsert_paid(session: Session, rows: Sequence[PaidRow]) -> None:
    """Record units as paid; a unit paid before is renewed and keeps its first date."""
    session.many(_UPSERT_PAID, rows)

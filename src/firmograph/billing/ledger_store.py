"""All SQL on balances, the ledger and paid units."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.accounts.tables import balances, ledger, paid_units
from firmograph.database.connection import Session
from firmograph.database.upsert import insert


class Balance(NamedTuple):
    """Whole credits: all grants and all charges ever, and what is set aside for deliveries under way."""

    granted: int
    used: int
    held: int = 0

    @property
    def remaining(self) -> int:
        return self.granted - self.used - self.held


class Entry(NamedTuple):
    """One row of the ledger, without its number."""

    account_id: int
    at: float
    request_id: str
    kind: str
    action: str
    quantity: int
    credits: int
    balance: int


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
# the table refuses what the credits do not suffice for
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


def balance_of(session: Session, account_id: int) -> Balance:
    row = session.one(_BALANCE, (account_id,))
    return Balance(*row) if row else Balance(0, 0)


def grant(session: Session, account_id: int, credits: int, most: int) -> int | None:
    """Grant credits; what remains then, or None, with nothing changed, beyond `most` granted in all."""
    rows = session.all(_GRANT, {"account": account_id, "credits": credits, "most": most})
    return int(rows[0][0]) if rows else None


def spend(session: Session, account_id: int, credits: int) -> int | None:
    """Take from what remains; the credits that remain then, or None, with nothing changed, if too few did."""
    rows = session.all(_SPEND, {"account": account_id, "credits": credits})
    return int(rows[0][0]) if rows else None


def balances_of(session: Session, account_ids: Collection[int]) -> dict[int, Balance]:
    """One statement."""
    rows = session.all_in(_BALANCES, "accounts", sorted(account_ids))
    return {row[0]: Balance(*row[1:]) for row in rows}


def hold(session: Session, held: Mapping[int, int]) -> None:
    """Set credits aside of what remains, by account. One statement."""
    session.many(_HOLD, [(credits, account) for account, credits in sorted(held.items())])


def settle(session: Session, ended: Mapping[int, tuple[int, int]]) -> None:
    """Use up of what is set aside, and give back of it, by account. One statement."""
    rows = [(captured, captured + released, account) for account, (captured, released) in ended.items()]
    session.many(_SETTLE, sorted(rows, key=lambda row: row[2]))


_PAGE = 1000
_ENTRIES = (
    sa.select(ledger.c.id, *(ledger.c[name] for name in Entry._fields))
    .where(ledger.c.account_id == bindparam("account"), ledger.c.id > bindparam("after"))
    .order_by(ledger.c.id)
    .limit(_PAGE)
)


def append(session: Session, entries: Sequence[Entry]) -> None:
    session.load(ledger, entries, Entry._fields)


def entries_of(session: Session, account_id: int) -> Iterator[tuple[int, Entry]]:
    """The account's ledger rows with their numbers, oldest first."""
    after = 0
    while rows := session.all(_ENTRIES, {"account": account_id, "after": after}):
        for number, *fields in rows:
            yield number, Entry(*fields)
        after = rows[-1][0]


_PAID = sa.select(paid_units.c.record_id, paid_units.c.unit).where(
    paid_units.c.account_id == bindparam("account"),
    paid_units.c.entity == bindparam("entity"),
    paid_units.c.record_id.in_(bindparam("ids", expanding=True)),
    paid_units.c.paid_at > bindparam("since"),
)
_put = insert(paid_units).values(
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
_PUT_PAID = _put.on_conflict_do_update(
    index_elements=["account_id", "entity", "record_id", "unit"],
    set_={"paid_at": _put.excluded.paid_at, "request_id": _put.excluded.request_id},
)

PaidRow = tuple[int, int, int, str, float, float, str]
"""Account, entity, record, unit, first paid at, paid at, request."""


def paid(
    session: Session, account_id: int, entity: int, ids: Sequence[int], since: float
) -> set[tuple[int, str]]:
    """The units of these records that the account paid for after `since`, as (record, unit)."""
    rows = session.all_in(_PAID, "ids", ids, account=account_id, entity=entity, since=since)
    return {(row[0], row[1]) for row in rows}


def put_paid(session: Session, rows: Sequence[PaidRow]) -> None:
    """Note units as paid; one that was paid before keeps its first date and is renewed."""
    session.many(_PUT_PAID, rows)

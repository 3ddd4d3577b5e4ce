"""SQL statements on values that accounts have paid for, misses, recipients, and calls of providers."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert, replacing
from firmograph.waterfall.tables import (
    waterfall_calls,
    waterfall_misses,
    waterfall_recipients,
    waterfall_values,
)
from firmograph.waterfall.types import PaidValue, ProviderCall

_v, _m, _r, _c = waterfall_values.c, waterfall_misses.c, waterfall_recipients.c, waterfall_calls.c
_PAID = tuple(_v[name] for name in PaidValue._fields)
_OF_ACCOUNT = sa.select(*_PAID).where(
    _v.account_id == bindparam("account"), column_in(_v.contact_id, "contacts")
)
_OF_EVERY_ACCOUNT = sa.select(*_PAID).where(
    column_in(_v.contact_id, "contacts"), _v.found_at > bindparam("since")
)
_PUT = replacing(waterfall_values, account_id=bindparam("account"))
_DELETE_OF_ACCOUNT = sa.delete(waterfall_values).where(_v.account_id == bindparam("account"))
_MISSES = sa.select(_m.contact_id, _m.data_point, _m.provider).where(
    column_in(_m.contact_id, "contacts"), _m.at > bindparam("since")
)
_PUT_MISS = replacing(waterfall_misses)
_new_recipient = insert(waterfall_recipients).values(
    {name: bindparam(name) for name in ("contact_id", "provider", "first_at", "last_at")}
)
_PUT_RECIPIENT = _new_recipient.on_conflict_do_update(
    index_elements=["contact_id", "provider"],
    set_={
        "first_at": sa.case(
            (_new_recipient.excluded.first_at < _r.first_at, _new_recipient.excluded.first_at),
            else_=_r.first_at,
        ),
        "last_at": sa.case(
            (_new_recipient.excluded.last_at > _r.last_at, _new_recipient.excluded.last_at), else_=_r.last_at
        ),
    },
)
_RECIPIENTS = sa.select(waterfall_recipients).order_by(_r.contact_id, _r.provider)
_CALLS = (
    sa.select(*(_c[name] for name in ProviderCall._fields))
    .where(_c.account_id == bindparam("account"), _c.at >= bindparam("since"))
    .order_by(_c.at, _c.id)
)
_DELETE_CALLS = sa.delete(waterfall_calls).where(_c.account_id == bindparam("account"))
_OLD_MISSES = BatchDeletion(waterfall_misses, _m.at < bindparam("before"))
_OLD_CALLS = BatchDeletion(waterfall_calls, _c.at < bindparam("before"))
_DELETIONS = [
    sa.delete(table).where(column_in(table.c.contact_id, "contacts"))
    for table in (waterfall_values, waterfall_misses, waterfall_recipients)
]


class Recipient(NamedTuple):
    """Provider that was asked for a contact, with the first and the last time."""

    contact_id: int
    provider: str
    first_at: float
    last_at: float


def select_paid(session: AccountSession, contacts: Collection[int]) -> list[PaidValue]:
    """Return the values of contacts that the account has paid for at any time. One statement."""
    return [PaidValue(*row) for row in session.all_in(_OF_ACCOUNT, "contacts", sorted(contacts))]


def select_found(session: Session, contacts: Collection[int], since: float) -> list[PaidValue]:
    """Return the values of contacts that were found after `since` for any account. One statement."""
    rows = session.all_in(_OF_EVERY_ACCOUNT, "contacts", sorted(contacts), since=since)
    return [PaidValue(*row) for row in rows]


def put_value(session: AccountSession, value: PaidValue) -> None:
    """Store what the account has paid for, in place of an earlier payment for the same."""
    session.execute(_PUT, value._asdict())


def delete_of_account(session: AccountSession) -> None:
    session.execute(_DELETE_OF_ACCOUNT)
    session.execute(_DELETE_CALLS)


def select_misses(session: Session, contacts: Collection[int], since: float) -> set[tuple[int, int, str]]:
    """Return what providers lacked after `since`, as (contact, data point, provider). One statement."""
    rows = session.all_in(_MISSES, "contacts", sorted(contacts), since=since)
    return {(row[0], row[1], row[2]) for row in rows}


def put_misses(session: Session, misses: Iterable[tuple[int, int, str]], at: float) -> None:
    session.many(_PUT_MISS, [(*each, at) for each in sorted(set(misses))])


def put_recipients(session: Session, recipients: Iterable[Recipient]) -> None:
    """Note which provider was asked for which contact; earlier and later times are kept. One statement."""
    session.many(_PUT_RECIPIENT, sorted(set(recipients)))


def select_recipients(session: Session) -> list[Recipient]:
    return [Recipient(*row) for row in session.all(_RECIPIENTS)]


def add_calls(session: Session, calls: Sequence[ProviderCall]) -> None:
    session.load(waterfall_calls, calls, ProviderCall._fields)


def select_calls(session: AccountSession, since: float) -> list[ProviderCall]:
    """Return the calls of providers for the account, oldest first."""
    return [ProviderCall(*row) for row in session.all(_CALLS, {"since": since})]


def delete_old_misses(session: Session, before: float, most: int) -> int:
    return _OLD_MISSES.run(session, most, before=before)


def delete_old_calls(session: Session, before: float, most: int) -> int:
    return _OLD_CALLS.run(session, most, before=before)


def delete_of_contacts(session: Session, contacts: Collection[int]) -> None:
    """Delete values, misses and recipients of contacts. Three statements."""
    for statement in _DELETIONS:
        session.run_in(statement, "contacts", sorted(contacts))

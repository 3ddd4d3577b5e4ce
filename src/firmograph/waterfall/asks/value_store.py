"""SQL statements on values that accounts have paid for, misses, recipients, and calls of providers."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.batch_deletion import BatchDeletion
from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession, Row, Session
from firmograph.database.upsert import insert, replacing
from firmograph.waterfall.tables import (
    waterfall_calls,
    waterfall_misses,
    waterfall_recipients,
    waterfall_value_keys,
    waterfall_values,
)
from firmograph.waterfall.types import PaidValue, ProviderCall

_v, _m, _r, _c = waterfall_values.c, waterfall_misses.c, waterfall_recipients.c, waterfall_calls.c
_k = waterfall_value_keys.c
_PAID = tuple(_v[name] for name in PaidValue._fields)
_OF_ACCOUNT = sa.select(*_PAID).where(
    _v.account_id == bindparam("account"), column_in(_v.contact_id, "contacts")
)
_OF_EVERY_ACCOUNT = sa.select(*_PAID).where(
    column_in(_v.contact_id, "contacts"), _v.found_at > bindparam("since")
)
_PUT = replacing(waterfall_values, account_id=bindparam("account"))
_PUT_KEY = sa.insert(waterfall_value_keys).values(
    account_id=bindparam("account"),
    **{name: bindparam(name) for name in ("digest", "contact_id", "data_point")},
)
_DELETE_VALUE, _DELETE_KEYS = (
    sa.delete(table).where(
        table.c.account_id == bindparam("account"),
        table.c.contact_id == bindparam("contact"),
        table.c.data_point == bindparam("point"),
    )
    for table in (waterfall_values, waterfall_value_keys)
)
_CONTACTS: Final = 500
"""Contacts of a page."""
_CONTACTS_AFTER = (
    sa.select(_v.contact_id)
    .distinct()
    .where(_v.contact_id > bindparam("after", type_=sa.BigInteger))
    .order_by(_v.contact_id)
    .limit(_CONTACTS)
)
_HELD = sa.select(_v.account_id, *_PAID)
_OF_CONTACTS = _HELD.where(column_in(_v.contact_id, "contacts"))
_WITH_KEY = (
    _HELD.distinct()
    .join(
        waterfall_value_keys,
        sa.and_(*(_k[name] == _v[name] for name in ("contact_id", "account_id", "data_point"))),
    )
    .where(column_in(_k.digest, "digests"), _k.data_point == bindparam("point"))
)
_HOLDERS = (
    sa.select(_k.digest, _k.contact_id)
    .distinct()
    .where(column_in(_k.digest, "digests"), _k.data_point == bindparam("point"))
)
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
_RECIPIENTS_OF = sa.select(waterfall_recipients).where(column_in(_r.contact_id, "contacts"))
_CALLS = (
    sa.select(*(_c[name] for name in ProviderCall._fields))
    .where(_c.account_id == bindparam("account"), _c.at >= bindparam("since"))
    .order_by(_c.at, _c.id)
)
_DELETE_KEYS_OF_ACCOUNT = sa.delete(waterfall_value_keys).where(_k.account_id == bindparam("account"))
_DELETE_CALLS = sa.delete(waterfall_calls).where(_c.account_id == bindparam("account"))
_OLD_MISSES = BatchDeletion(waterfall_misses, _m.at < bindparam("before"))
_OLD_CALLS = BatchDeletion(waterfall_calls, _c.at < bindparam("before"))
_DELETIONS = [
    sa.delete(table).where(column_in(table.c.contact_id, "contacts"))
    for table in (waterfall_value_keys, waterfall_values, waterfall_misses, waterfall_recipients)
]


class HeldValue(NamedTuple):
    """Values of a data point with the account that has paid for them."""

    account_id: int
    value: PaidValue


class AskedProvider(NamedTuple):
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


def put_value(session: AccountSession, value: PaidValue, keys: Collection[bytes]) -> None:
    """Store what the account has paid for with its keys, in place of an earlier payment for the same."""
    session.execute(_PUT, value._asdict())
    session.execute(_DELETE_KEYS, {"contact": value.contact_id, "point": value.data_point})
    new = {"contact_id": value.contact_id, "data_point": value.data_point}
    session.each(_PUT_KEY, [{"digest": key, **new} for key in sorted(keys)])


def delete_value(session: AccountSession, contact_id: int, data_point: int) -> None:
    for statement in (_DELETE_VALUE, _DELETE_KEYS):
        session.execute(statement, {"contact": contact_id, "point": data_point})


def delete_of_account(session: AccountSession) -> None:
    session.execute(_DELETE_OF_ACCOUNT)
    session.execute(_DELETE_KEYS_OF_ACCOUNT)
    session.execute(_DELETE_CALLS)


def select_misses(session: Session, contacts: Collection[int], since: float) -> set[tuple[int, int, str]]:
    """Return what providers lacked after `since`, as (contact, data point, provider). One statement."""
    rows = session.all_in(_MISSES, "contacts", sorted(contacts), since=since)
    return {(row[0], row[1], row[2]) for row in rows}


def put_misses(session: Session, misses: Iterable[tuple[int, int, str]], at: float) -> None:
    session.many(_PUT_MISS, [(*each, at) for each in sorted(set(misses))])


def put_recipients(session: Session, recipients: Iterable[AskedProvider]) -> None:
    """Note which provider was asked for which contact; earlier and later times are kept. One statement."""
    session.many(_PUT_RECIPIENT, sorted(set(recipients)))


def select_recipients(session: Session) -> list[AskedProvider]:
    return [AskedProvider(*row) for row in session.all(_RECIPIENTS)]


def select_recipients_of(session: Session, contacts: Collection[int]) -> list[AskedProvider]:
    """Return which provider was asked for which of these contacts. One statement."""
    return [AskedProvider(*row) for row in session.all_in(_RECIPIENTS_OF, "contacts", sorted(contacts))]


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
    """Delete values, misses and recipients of contacts. Four statements."""
    for statement in _DELETIONS:
        session.run_in(statement, "contacts", sorted(contacts))


# --- values of all accounts ---


def select_contacts_after(session: Session, number: int) -> list[int]:
    """Return the next contacts with values after a number."""
    return [row[0] for row in session.all(_CONTACTS_AFTER, {"after": number})]


def select_of(session: Session, contacts: Collection[int]) -> list[HeldValue]:
    """Return the values of contacts. One statement."""
    return [_held(row) for row in session.all_in(_OF_CONTACTS, "contacts", sorted(contacts))]


def select_with_key(session: Session, data_point: int, digests: Collection[bytes]) -> list[HeldValue]:
    """Return the values of a data point that have one of these keys. One statement."""
    rows = session.all_in(_WITH_KEY, "digests", sorted(digests), point=data_point)
    return list({row[:4]: _held(row) for row in rows}.values())


def select_holders(session: Session, data_point: int, digests: Collection[bytes]) -> list[tuple[bytes, int]]:
    """Return keys with the contacts whose values of a data point have them. One statement."""
    rows = session.all_in(_HOLDERS, "digests", sorted(digests), point=data_point)
    return [(bytes(row[0]), row[1]) for row in rows]


def _held(row: Row) -> HeldValue:
    return HeldValue(row[0], PaidValue(*row[1:]))

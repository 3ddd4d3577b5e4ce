"""SQL statements on the providers of accounts, and on the state of providers."""

from collections.abc import Collection, Iterable

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.columns import column_in
from firmograph.database.connection import AccountSession, Session
from firmograph.database.upsert import insert, replacing
from firmograph.waterfall.tables import waterfall_providers, waterfall_states
from firmograph.waterfall.types import EnabledProvider, ProviderState

_p, _s = waterfall_providers.c, waterfall_states.c
_FIELDS = (_p.provider, _p.place, _p.emails, _p.phones, _p.contact_cap, _p.day_cap)
_OF_ACCOUNT = sa.select(*_FIELDS).where(_p.account_id == bindparam("account")).order_by(_p.place, _p.provider)
_OF_ACCOUNTS = (
    sa.select(_p.account_id, *_FIELDS)
    .where(column_in(_p.account_id, "accounts"))
    .order_by(_p.place, _p.provider)
)
_DELETE = sa.delete(waterfall_providers).where(_p.account_id == bindparam("account"))
_STATES = sa.select(waterfall_states).where(column_in(_s.provider, "names"))
# one transaction after the other takes slots of a provider
_LOCK_STATES = _STATES.order_by(_s.provider).with_for_update()
_PUT_STATE = replacing(waterfall_states)
_ADD_STATE = (
    insert(waterfall_states)
    .values({one.name: bindparam(one.name) for one in waterfall_states.c})
    .on_conflict_do_nothing()
)


def select_enabled(session: AccountSession) -> list[EnabledProvider]:
    """Return the providers of the account in their order. One statement."""
    return [_enabled(*row) for row in session.all(_OF_ACCOUNT)]


def select_enabled_of_accounts(
    session: Session, account_ids: Collection[int]
) -> dict[int, list[EnabledProvider]]:
    """Return the providers of accounts in their order. One statement."""
    enabled: dict[int, list[EnabledProvider]] = {account: [] for account in account_ids}
    for account, *fields in session.all_in(_OF_ACCOUNTS, "accounts", sorted(account_ids)):
        enabled[account].append(_enabled(*fields))
    return enabled


def replace_enabled(session: AccountSession, enabled: Iterable[EnabledProvider]) -> None:
    """Make these the providers of the account. Two statements."""
    session.execute(_DELETE)
    rows = [
        (one.name, one.place, int(one.emails), int(one.phones), one.contact_cap, one.day_cap)
        for one in enabled
    ]
    session.load(waterfall_providers, rows, tuple(column.name for column in _FIELDS))


def _enabled(
    name: str, place: int, emails: int, phones: int, contact_cap: int | None, day_cap: int | None
) -> EnabledProvider:
    return EnabledProvider(name, place, bool(emails), bool(phones), contact_cap, day_cap)


def select_states(session: Session, names: Collection[str]) -> dict[str, ProviderState]:
    """Return the states of providers; those without a row have the first one. One statement."""
    rows = session.all_in(_STATES, "names", sorted(names))
    return dict.fromkeys(names, ProviderState()) | {row[0]: ProviderState(*row[1:]) for row in rows}


def lock_states(session: Session, names: Collection[str]) -> dict[str, ProviderState]:
    """Return the states of providers, which no other transaction changes before this one ends. Two statements."""
    session.many(_ADD_STATE, [(name, *ProviderState()) for name in sorted(names)])
    rows = session.all_in(_LOCK_STATES, "names", sorted(names))
    return {row[0]: ProviderState(*row[1:]) for row in rows}


def put_states(session: Session, states: dict[str, ProviderState]) -> None:
    """Store states of providers. One statement."""
    session.many(_PUT_STATE, [(name, *states[name]) for name in sorted(states)])

"""SQL that erases suppressed people from deliveries and the audit.

All functions run in the caller's transaction.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import AccountSession, Session
from firmograph.security.record_ids import Entity
from firmograph.webhooks.deliveries import scheduled_store
from firmograph.webhooks.tables import audit_logs, deliveries, subscriptions
from firmograph.webhooks.types import State

_d, _s, _a = deliveries.c, subscriptions.c, audit_logs.c
_of_signals = _d.signal_id.in_(bindparam("ids", expanding=True))
_delete_failed = sa.delete(deliveries).where(_of_signals, _d.state == int(State.FAILED))
_mark_cancelled = (
    sa.update(deliveries)
    .where(_of_signals)
    .values(state=int(State.CANCELLED), body=sa.null(), reason=bindparam("why", type_=sa.Text))
)
_erase_bodies = sa.update(deliveries).where(_of_signals).values(body=sa.null())
_bodies = sa.select(deliveries).where(_of_signals, _d.body.is_not(None))
_acknowledgements = (
    sa.select(audit_logs)
    .join(subscriptions, sa.and_(_s.account_id == _a.account_id, _s.token == _a.subscription))
    .where(
        _s.entity == bindparam("entity", type_=sa.SmallInteger),
        _s.entity_id.in_(bindparam("numbers", expanding=True)),
        _a.acknowledgement.is_not(None),
    )
)
_receivers = (
    sa.select(_a.account_id, _a.url, sa.func.min(_a.at), sa.func.max(_a.at))
    .join(subscriptions, sa.and_(_s.account_id == _a.account_id, _s.token == _a.subscription))
    .where(
        _s.entity == int(Entity.CONTACT),
        _s.entity_id.in_(bindparam("numbers", expanding=True)),
        # others have no answer of a receiver, who may have read what was sent before it failed
        _a.status_code.is_not(None),
        _a.is_test == 0,
    )
    .group_by(_a.account_id, _a.url)
)
_tokens = sa.select(_s.account_id, _s.token).where(
    _s.entity == bindparam("entity", type_=sa.SmallInteger),
    _s.entity_id.in_(bindparam("numbers", expanding=True)),
)
_erase_names = (
    sa.update(subscriptions)
    .where(
        _s.entity == int(Entity.CONTACT),
        _s.entity_id.in_(bindparam("numbers", expanding=True)),
        _s.name.is_not(None),
    )
    .values(name=sa.null())
)
_erase_acknowledgements = (
    sa.update(audit_logs)
    .where(
        _a.account_id == bindparam("account"),
        _a.subscription == bindparam("token"),
        _a.acknowledgement.is_not(None),
    )
    .values(acknowledgement=sa.null())
)


def mark_cancelled(session: Session, signal_ids: Collection[int], reason: str) -> None:
    """Mark the deliveries of these signals as cancelled and erase their bodies; a worker finishes them.

    Dead letters and scheduled deliveries are deleted at once: they hold no credits, are in no counter, and dead letters
    have their audit row already.
    """
    scheduled_store.delete_of_signals(session, signal_ids)
    session.run_in(_delete_failed, "ids", sorted(signal_ids))
    session.run_in(_mark_cancelled, "ids", sorted(signal_ids), why=reason)


def erase_bodies(session: Session, signal_ids: Collection[int]) -> None:
    """Erase the bodies of the deliveries of these signals, so that they are composed again."""
    session.run_in(_erase_bodies, "ids", sorted(signal_ids))


def select_bodies(session: Session, signal_ids: Collection[int]) -> Iterator[dict[str, Any]]:
    """Yield the deliveries of these signals that have a body, by column."""
    for row in session.all_in(_bodies, "ids", sorted(signal_ids)):
        yield dict(zip(_d.keys(), row, strict=True))


def erase_names(session: Session, contacts: Collection[int]) -> None:
    """Erase the names of subscriptions to these contacts."""
    session.run_in(_erase_names, "numbers", sorted(contacts))


def select_acknowledgements(
    session: Session, entity: int, numbers: Collection[int]
) -> Iterator[dict[str, Any]]:
    """Yield the audit rows with acknowledgements for subscriptions to these records, by column."""
    for row in session.all_in(_acknowledgements, "numbers", sorted(numbers), entity=entity):
        yield dict(zip(_a.keys(), row, strict=True))


def select_receivers(session: Session, contacts: Collection[int]) -> list[tuple[int, str, float, float]]:
    """Return account, URL, first and last time of what receivers answered for subscriptions to these contacts."""
    rows = session.all_in(_receivers, "numbers", sorted(contacts))
    return [(account, url, first_at, last_at) for account, url, first_at, last_at in rows]


def select_subscribers(session: Session, entity: int, numbers: Collection[int]) -> list[int]:
    """Return the account of each subscription to these records."""
    return [row[0] for row in session.all_in(_tokens, "numbers", sorted(numbers), entity=entity)]


def erase_acknowledgements(session: Session, entity: int, numbers: Collection[int]) -> None:
    """Erase receivers' acknowledgements for subscriptions to these records."""
    rows = session.all_in(_tokens, "numbers", sorted(numbers), entity=entity)
    session.many(_erase_acknowledgements, sorted((account, token) for account, token in rows))


def erase_acknowledgements_of(session: AccountSession, tokens: Iterable[str]) -> None:
    """Erase receivers' acknowledgements for subscriptions of the account, given by public id."""
    session.many(_erase_acknowledgements, [(token,) for token in sorted(tokens)])

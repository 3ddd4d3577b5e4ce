"""SQL that erases suppressed people from deliveries and the audit.

All functions run in the caller's transaction.
"""

from collections.abc import Collection, Iterable

import sqlalchemy as sa
from sqlalchemy import bindparam

from firmograph.database.connection import Session
from firmograph.signals.tables import signals
from firmograph.webhooks.deliveries import scheduled_store
from firmograph.webhooks.tables import audit_logs, deliveries, subscriptions
from firmograph.webhooks.types import State

_d, _s, _a, _g = deliveries.c, subscriptions.c, audit_logs.c, signals.c
_of_signals = _d.signal_id.in_(bindparam("ids", expanding=True))
_delete_failed = sa.delete(deliveries).where(_of_signals, _d.state == int(State.FAILED))
_mark_cancelled = (
    sa.update(deliveries)
    .where(_of_signals)
    .values(state=int(State.CANCELLED), body=sa.null(), reason=bindparam("why", type_=sa.Text))
)
_erase_bodies = sa.update(deliveries).where(_of_signals).values(body=sa.null())
_records = sa.select(_g.entity, _g.entity_id).where(_g.id.in_(bindparam("ids", expanding=True))).distinct()
_tokens = sa.select(_s.account_id, _s.token).where(
    _s.entity == bindparam("entity", type_=sa.SmallInteger),
    _s.entity_id.in_(bindparam("numbers", expanding=True)),
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


def find_records(session: Session, signal_ids: Collection[int]) -> set[tuple[int, int]]:
    """Return the records of these signals, as (entity, number)."""
    return {(row[0], row[1]) for row in session.all_in(_records, "ids", sorted(signal_ids))}


def erase_acknowledgements(session: Session, entity: int, numbers: Collection[int]) -> None:
    """Erase receivers' acknowledgements for subscriptions to these records."""
    rows = session.all_in(_tokens, "numbers", sorted(numbers), entity=entity)
    erase_acknowledgements_of(session, [(account, token) for account, token in rows])


def erase_acknowledgements_of(session: Session, owned: Iterable[tuple[int, str]]) -> None:
    """Erase receivers' acknowledgements for subscriptions given as (account, public id)."""
    session.many(_erase_acknowledgements, sorted(owned))

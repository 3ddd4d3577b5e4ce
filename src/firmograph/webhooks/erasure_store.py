"""All SQL that erases suppressed people from deliveries and their audit, inside the caller's transaction."""

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
_drop_failed = sa.delete(deliveries).where(_of_signals, _d.state == int(State.FAILED))
_cancel = (
    sa.update(deliveries)
    .where(_of_signals)
    .values(state=int(State.CANCELLED), body=sa.null(), reason=bindparam("why", type_=sa.Text))
)
_clear = sa.update(deliveries).where(_of_signals).values(body=sa.null())
_records = sa.select(_g.entity, _g.entity_id).where(_g.id.in_(bindparam("ids", expanding=True))).distinct()
_tokens = sa.select(_s.account_id, _s.token).where(
    _s.entity == bindparam("entity", type_=sa.SmallInteger),
    _s.entity_id.in_(bindparam("numbers", expanding=True)),
)
_unacknowledge = (
    sa.update(audit_logs)
    .where(
        _a.account_id == bindparam("account"),
        _a.subscription == bindparam("token"),
        _a.acknowledgement.is_not(None),
    )
    .values(acknowledgement=sa.null())
)


def cancel(session: Session, signal_ids: Collection[int], reason: str) -> None:
    """End the deliveries of these signals, with what they would say; a worker sees to the rest.

    Dead letters hold no credits, are counted nowhere and have their row in the audit: they go at once. So do those of
    days to come, which were never queued.
    """
    scheduled_store.drop_of_signals(session, signal_ids)
    session.run_in(_drop_failed, "ids", sorted(signal_ids))
    session.run_in(_cancel, "ids", sorted(signal_ids), why=reason)


def clear(session: Session, signal_ids: Collection[int]) -> None:
    """Erase what deliveries of these signals say, so that it is composed anew."""
    session.run_in(_clear, "ids", sorted(signal_ids))


def records(session: Session, signal_ids: Collection[int]) -> set[tuple[int, int]]:
    """The records, as (entity, number), that these signals are of."""
    return {(row[0], row[1]) for row in session.all_in(_records, "ids", sorted(signal_ids))}


def unacknowledge(session: Session, entity: int, numbers: Collection[int]) -> None:
    """Erase what receivers answered for subscriptions to these records."""
    rows = session.all_in(_tokens, "numbers", sorted(numbers), entity=entity)
    unacknowledge_of(session, [(account, token) for account, token in rows])


def unacknowledge_of(session: Session, owned: Iterable[tuple[int, str]]) -> None:
    """Erase what receivers answered for subscriptions, as (account, public id)."""
    session.many(_unacknowledge, sorted(owned))

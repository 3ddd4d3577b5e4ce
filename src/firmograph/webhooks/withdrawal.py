"""Deletion of signals with the import or source that stated them, and of what waits to be delivered of them.

See docs/reference/signals.md#sources. Queued deliveries are cancelled and their holds released, as after an erasure;
ledger, audit and paid units of delivered signals stay. Of the audit only acknowledgements go, as they may repeat what
was sent.
"""

from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from firmograph.database.connection import EVERY_ACCOUNT, SUBSCRIPTIONS, Session
from firmograph.security.record_ids import Entity
from firmograph.signals import withdrawal as signal_withdrawal
from firmograph.signals.withdrawal import DeletedSignal
from firmograph.webhooks import erasure_store

WITHDRAWN: Final = "Cancelled: what the signal was detected from has been removed"


class Withdrawal(NamedTuple):
    """Result of a batch."""

    read: int
    """Signals of the import or source; fewer than were asked for at the end."""
    deleted: list[DeletedSignal]
    """Those that nobody else states."""


def withdraw_source(session: Session, source: int, most: int) -> Withdrawal:
    """Delete the signals among the next `most` of a source that no other one states.

    Part of the caller's transaction, of scope RECORDS.
    """
    ids = signal_withdrawal.signals_of_source(session, source, most)
    return _delete(session, ids, lambda: signal_withdrawal.withdraw_source(session, source, ids))


def withdraw_import(session: Session, import_id: int, most: int) -> Withdrawal:
    """Delete the signals among the next `most` of an import that no other source states.

    Part of the caller's transaction, of scope RECORDS.
    """
    ids = signal_withdrawal.signals_of_import(session, import_id, most)
    return _delete(session, ids, lambda: signal_withdrawal.withdraw_import(session, import_id, ids))


def _delete(session: Session, ids: list[int], withdraw: Callable[[], list[int]]) -> Withdrawal:
    unstated = withdraw() if ids else []
    if not unstated:
        return Withdrawal(len(ids), [])
    # no delivery of them is created at the same time
    session.enter(SUBSCRIPTIONS, EVERY_ACCOUNT)
    erasure_store.mark_cancelled(session, unstated, WITHDRAWN)
    deleted = signal_withdrawal.delete_signals(session, unstated)
    for entity in Entity:
        numbers = {each.number for each in deleted if each.entity == entity}
        erasure_store.erase_acknowledgements(session, int(entity), numbers)
    return Withdrawal(len(ids), deleted)


def recompose_deliveries(session: Session, signals: Collection[int]) -> None:
    """Let the deliveries of rewritten signals that wait be composed again."""
    if signals:
        session.enter(SUBSCRIPTIONS, EVERY_ACCOUNT)
        erasure_store.erase_bodies(session, signals)


def recompose_of_records(session: Session, entity: Entity, numbers: Collection[int]) -> None:
    """Let the deliveries of records that lost values, and wait, be composed again; erase acknowledgements of others.

    Part of the caller's transaction, of the scopes RECORDS, SUBSCRIPTIONS and EVERY_ACCOUNT.
    """
    erasure_store.erase_acknowledgements(session, int(entity), numbers)
    recompose_deliveries(session, signal_withdrawal.signals_of_records(session, entity, numbers))

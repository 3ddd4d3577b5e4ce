"""Withdrawal of statements: signals that nobody states any more are deleted, inside the caller's transaction.

See docs/reference/signals.md#sources. `webhooks.withdrawal` also cancels what waits to be delivered of them.
"""

from collections.abc import Collection
from typing import NamedTuple

from firmograph.database.connection import Session
from firmograph.signals import erasure_store
from firmograph.signals import statement_store as store
from firmograph.signals.store import mark_changed


class DeletedSignal(NamedTuple):
    """A signal that nobody states any more."""

    identity: bytes
    entity: int
    number: int
    """Number of its record."""
    type: int
    """`types.NUMBER_OF`."""


def signals_of_source(session: Session, source: int, most: int) -> list[int]:
    """Return the first signals with a statement that needs a source."""
    return store.signals_of_source(session, source, most)


def signals_of_import(session: Session, import_id: int, most: int) -> list[int]:
    """Return the first signals with a statement of an import."""
    return store.signals_of_import(session, import_id, most)


def withdraw_source(session: Session, source: int, ids: Collection[int]) -> list[int]:
    """Delete the statements of these signals that need a source; return the signals that nobody states any more."""
    store.delete_statements(session, store.statements_of_source(session, ids, source))
    return _unstated(session, ids)


def withdraw_import(session: Session, import_id: int, ids: Collection[int]) -> list[int]:
    """Delete the statements of these signals that an import made; return the signals that nobody states any more."""
    store.delete_statements(session, store.statements_of_import(session, ids, import_id))
    return _unstated(session, ids)


def _unstated(session: Session, ids: Collection[int]) -> list[int]:
    stated = {id for id, _, _ in store.statements_of(session, ids)}
    return sorted(set(ids) - stated)


def delete_signals(session: Session, ids: Collection[int]) -> list[DeletedSignal]:
    """Delete signals and add their records to the change sequence; return them."""
    deleted = [DeletedSignal(*row) for row in store.select_signals(session, ids)]
    erasure_store.delete_signals(session, ids)
    mark_changed(session, ((each.entity, each.number) for each in deleted))
    return deleted

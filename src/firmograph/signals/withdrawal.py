"""Withdrawal of statements and facts of a source: signals that nobody states any more are deleted.

All functions run in the caller's transaction.

See docs/reference/signals.md#sources. `webhooks.withdrawal` also cancels what waits to be delivered of them.
"""

from collections.abc import Collection
from typing import Final, NamedTuple

from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.signals import erasure_store, fact_store
from firmograph.signals import statement_store as store
from firmograph.signals.store import mark_changed

_ALL: Final = 2**31 - 1
"""More signals than an import detects."""


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


def count_signals_without_imports(session: Session, imports: Collection[int]) -> int:
    """Return how many signals nobody states without some imports."""
    made: set[tuple[int, int]] = set()
    for number in imports:
        made.update(store.statements_of_import(session, signals_of_import(session, number, _ALL), number))
    signals = {signal for signal, _ in made}
    stated = {signal for signal, by, _ in store.statements_of(session, signals) if (signal, by) not in made}
    return len(signals - stated)


def delete_signals(session: Session, ids: Collection[int]) -> list[DeletedSignal]:
    """Delete signals and add their records to the change sequence; return them."""
    deleted = [DeletedSignal(*row) for row in store.select_signals(session, ids)]
    erasure_store.delete_signals(session, ids)
    mark_changed(session, ((each.entity, each.number) for each in deleted))
    return deleted


def signals_of_records(session: Session, entity: Entity, numbers: Collection[int]) -> list[int]:
    """Return the ids of the signals of records."""
    return erasure_store.signals_of_records(session, entity, numbers)


# --- facts of a source ---


class FactCounts(NamedTuple):
    """What sources have, by the number of the source."""

    feeds: dict[int, list[str]]
    """Kinds of facts."""
    figures: dict[int, int]
    postings: dict[int, int]
    signals: dict[int, int]
    """Signals that it states."""


def count_facts(session: Session) -> FactCounts:
    """Return what each source has. Reads all facts."""
    return FactCounts(
        fact_store.feeds_by_source(session),
        fact_store.count_figures(session),
        fact_store.count_postings(session),
        fact_store.count_stated(session),
    )


def count_signals_without(session: Session, source: int) -> int:
    """Return how many signals nobody states without a source."""
    return fact_store.count_unstated_without(session, source)


def delete_facts(session: Session, source: int, after: int, most: int) -> list[int]:
    """Delete the facts of a source about its next companies, and return these."""
    companies = fact_store.companies_of_source(session, source, after, most)
    fact_store.delete_facts(session, source, companies)
    return companies


def delete_feeds(session: Session, source: int) -> None:
    """Delete what is noted of a source without facts, and the locations that no posting has any more."""
    fact_store.delete_feeds(session, source)
    fact_store.delete_unused_places(session)

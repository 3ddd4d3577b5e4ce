"""The state that a request sees: the engine that answers, without those who were suppressed (decisions A and E)."""

from collections.abc import Iterator
from contextlib import contextmanager

from firmograph.database.connection import Database, Session
from firmograph.prospecting.engines.port import SearchEngine
from firmograph.prospecting.indexing import store
from firmograph.prospecting.indexing.active_engine import Index


def engine_now(session: Session, index: Index) -> SearchEngine:
    """The engine to ask in this transaction, everyone who was deleted by now forgotten, however far it lags.

    Raises Loading while there is none.
    """
    engine = index.current
    removed = store.removed_since(session, engine.applied)
    if removed:
        with index.changing:
            engine.remove_contacts(removed)
    return engine


@contextmanager
def reading(database: Database, index: Index) -> Iterator[tuple[Session, SearchEngine]]:
    """A reading transaction, and the engine to ask in it."""
    with database.read() as session:
        yield session, engine_now(session, index)

"""Search snapshot: a database transaction and the engine, without contacts suppressed by then.

See docs/reference/prospecting.md#freshness-and-loading.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from firmograph.database.connection import Database, Session
from firmograph.prospecting.engines.port import SearchEngine
from firmograph.prospecting.indexing import store
from firmograph.prospecting.indexing.active_engine import SearchIndex


def engine_snapshot(session: Session, index: SearchIndex) -> SearchEngine:
    """Return the engine for this transaction, without deleted contacts, however far the engine lags.

    Raises Loading if no engine is in service.
    """
    engine = index.current
    removed = store.removed_since(session, engine.applied)
    if removed:
        with index.change_lock:
            engine.remove_contacts(removed)
    return engine


@contextmanager
def search_snapshot(database: Database, index: SearchIndex) -> Iterator[tuple[Session, SearchEngine]]:
    """Open a read transaction with the engine for it."""
    with database.read() as session:
        yield session, engine_snapshot(session, index)

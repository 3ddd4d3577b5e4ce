"""Search snapshot: the engine as one request sees it, without records deleted by then.

See docs/reference/prospecting.md#freshness-and-loading.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from firmograph.database.connection import Database, Session
from firmograph.indexing.removed_records import NONE_REMOVED, RemovedRecords
from firmograph.privacy.do_not_call.registry import marked_since
from firmograph.prospecting.engines.port import SearchEngine, SearchIndex, Suggestion
from firmograph.prospecting.engines.query import EmployeeCriterion, Employees, Query, SearchResult
from firmograph.security.record_ids import Entity


class SearchSnapshot:
    """Engine with the records that no answer may contain or count, however far it lags."""

    def __init__(self, engine: SearchEngine, removed: RemovedRecords = NONE_REMOVED) -> None:
        self._engine = engine
        self._removed = removed

    @classmethod
    def of(cls, session: Session, index: SearchIndex) -> "SearchSnapshot":
        """Return the engine for a transaction. Raises Loading if no engine is in service."""
        return cls(*index.with_removed(session))

    def without_marked(self, session: Session) -> "SearchSnapshot":
        """Return the engine also without contacts that a command marked as do-not-call since it followed.

        Takes microseconds if there are none.
        """
        marked = marked_since(session, self._engine.applied)
        if not marked:
            return self
        contacts = frozenset(self._removed.contacts).union(marked)
        return SearchSnapshot(self._engine, self._removed._replace(contacts=contacts))

    def search(self, query: Query) -> SearchResult:
        return self._engine.search(query, self._removed)

    def search_many(self, queries: Sequence[Query]) -> list[SearchResult]:
        return self._engine.search_many(queries, self._removed)

    def matches(self, query: Query) -> Iterator[list[int]]:
        return self._engine.matches(query, self._removed)

    def employees(self, companies: Sequence[int], criteria: Sequence[EmployeeCriterion]) -> Employees:
        return self._engine.employees(companies, criteria, self._removed)

    def facet_counts(self, entity: Entity, field: str) -> dict[str, int]:
        return self._engine.facet_counts(entity, field, self._removed)

    def suggest(self, entity: Entity, field: str, text: str, limit: int) -> list[Suggestion]:
        return self._engine.suggest(entity, field, text, limit, self._removed)

    def postcode_centre(self, postcode: str) -> tuple[float, float] | None:
        return self._engine.postcode_centre(postcode, self._removed)


@contextmanager
def search_snapshot(database: Database, index: SearchIndex) -> Iterator[tuple[Session, SearchSnapshot]]:
    """Open a read transaction with the engine for it."""
    with database.read() as session:
        yield session, SearchSnapshot.of(session, index)

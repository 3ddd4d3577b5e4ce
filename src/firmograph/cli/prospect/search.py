"""Search over the database and its index without a server."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Final

from firmograph.cli.progress import count_progress
from firmograph.cli.prospect.output import Row
from firmograph.cli.prospect.previews import PreviewReader
from firmograph.database.connection import Database
from firmograph.directory.identity import Digests
from firmograph.kit.logs import set_up_logs
from firmograph.prospecting.engines.port import SearchEngine
from firmograph.prospecting.engines.query import Query
from firmograph.prospecting.engines.registry import engine_factory
from firmograph.prospecting.filters.filter_reader import Resolver
from firmograph.prospecting.filters.record_resolver import DatabaseResolver
from firmograph.prospecting.filters.signal import requested_signals
from firmograph.prospecting.search_snapshot import SearchSnapshot
from firmograph.security.record_ids import RecordIds
from firmograph.settings import Settings
from firmograph.signals.activity_store import active_types

PROGRESS_THRESHOLD: Final = 5_000
"""Number of rows above which a progress bar is shown."""
_RECORDS: Final = 1_000
"""Records per database query."""


def open_engine(database: Database, settings: Settings) -> SearchEngine:
    """Return the engine of the settings, with all changes as of now.

    A missing, unusable or outdated checkpoint is renewed first, as `firmograph index` does.
    """
    # the progress bar replaces the log of a build
    set_up_logs("warning" if settings.log_level == "info" else settings.log_level)
    with count_progress("Search index") as report:
        return engine_factory(settings).open(database, settings, report)


class Search:
    """Query for any number of rows, on an index of its own that does not change."""

    def __init__(
        self,
        database: Database,
        record_ids: RecordIds,
        digests: Digests,
        engine: SearchEngine,
        query_of: Callable[[Resolver], Query],
    ) -> None:
        self._database = database
        self._search = SearchSnapshot(engine)
        self._previews = PreviewReader(record_ids)
        with database.read() as session:
            self.query = query_of(DatabaseResolver(session, self._search, record_ids, digests))
        self.total = self._search.search(replace(self.query, offset=0, size=0)).total

    def rows(self, start: int, end: int) -> Iterator[Row]:
        """Yield the rows of a range in order, without deleted records."""
        numbers = islice(chain.from_iterable(self._search.matches(self.query)), start, end)
        while batch := list(islice(numbers, _RECORDS)):
            yield from self._rows_of(batch)

    def _rows_of(self, numbers: list[int]) -> list[Row]:
        with self._database.read() as session:
            rows = self._previews.rows(session, self.query.entity, numbers)
            active = active_types(session, self.query.entity, rows, requested_signals(self.query))
        for number, types in active.items():
            rows[number]["signalTypes"] = types
        return list(rows.values())

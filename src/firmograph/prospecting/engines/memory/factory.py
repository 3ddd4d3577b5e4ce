"""Factory of the engine in memory."""

from firmograph.database.connection import Database
from firmograph.indexing.all_records import ReportProgress
from firmograph.indexing.checkpoints import Checkpoints
from firmograph.indexing.local_index import LocalIndex
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.prospecting.engines.factory import IndexSummary, ServedSearch
from firmograph.prospecting.engines.memory.engine import MemoryEngine
from firmograph.prospecting.engines.memory.index_kind import MEMORY_SEARCH
from firmograph.settings import Settings


class MemoryEngineFactory:
    """Makes engines from the checkpoint next to the database, which servers and commands share."""

    def serve(self, database: Database, clock: Clock, settings: Settings) -> ServedSearch:
        index = LocalIndex(MEMORY_SEARCH, database, clock, settings.search_folder)
        return ServedSearch(index.active, [index])

    def open(self, database: Database, settings: Settings, report: ReportProgress) -> MemoryEngine:
        return Checkpoints(MEMORY_SEARCH, database, settings.search_folder).open(report)

    def update(
        self, database: Database, settings: Settings, report: ReportProgress, *, rebuild: bool
    ) -> IndexSummary:
        checkpoints = Checkpoints(MEMORY_SEARCH, database, settings.search_folder)
        try:
            engine, rebuilt = checkpoints.renew(force_rebuild=rebuild, report=report)
        except OSError as error:
            raise Refused(
                f"The checkpoint cannot be written to {checkpoints.path}: {error.strerror}"
            ) from error
        return IndexSummary(
            str(checkpoints.path),
            checkpoints.path.stat().st_size,
            engine.contacts.documents.living,
            engine.companies.documents.living,
            engine.applied,
            rebuilt,
        )

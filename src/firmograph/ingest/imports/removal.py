"""Removal of sources: everything that a source stated, also from restored copies.

See docs/reference/import.md#removal-of-a-source.
"""

from collections.abc import Callable

import msgspec

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.domains import load_suffixes
from firmograph.ingest.commits import Commits
from firmograph.ingest.imports import removal_store, store
from firmograph.ingest.imports.removal_run import RemovalCounts, RemovalProgress, RemovalRun
from firmograph.ingest.imports.removal_store import StoredRemoval
from firmograph.ingest.imports.runs import AlreadyTaken, check_source_is_free
from firmograph.ingest.imports.source_names import FoundSource, find_source
from firmograph.ingest.merging.record_deletion import RecordDeletion
from firmograph.ingest.merging.store import number_sources, read_counter
from firmograph.kit.clock import Clock
from firmograph.kit.errors import FirmographError, Refused
from firmograph.operator_audit.service import OperatorAudit
from firmograph.table_rows import CellRevision


class SourceRemoval:
    """Operator action: removes sources."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        digests: Digests,
        deletion: RecordDeletion,
        cells: CellRevision,
    ) -> None:
        self._database = database
        self._clock = clock
        self._digests = digests
        self._deletion = deletion
        self._cells = cells

    def remove(
        self,
        name: str,
        *,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> RemovalCounts:
        """Remove a source, or go on with its removal; return its counts, also of a part that was killed.

        Raises Refused, changing nothing, for an unknown source, one that has been removed, and one that is being
        imported. `on_progress` receives how many records are done, and their number.
        """
        commits = Commits(self._database, on_wait)
        source = commits.run_with_retry(lambda: self._begin(name))
        return self._run(source, commits, on_progress)

    def remove_from_copy(self, name: str) -> None:
        """Remove a source, also an unknown one, from a database that nobody else uses."""
        with self._database.write(RECORDS) as session:
            number_sources(session, name)
            source = find_source(session, name)
            self._mark(session, source)
        self._run(source, Commits(self._database), lambda done, total: None)

    def _begin(self, name: str) -> FoundSource:
        """Mark a source as being removed, so that nothing is imported under its name."""
        with self._database.write(RECORDS) as session:
            now = self._clock.seconds()
            source = check_removable(session, name, now)
            if self._mark(session, source):
                OperatorAudit().record(session, now, "source remove", details={"source": name})
        return source

    def _mark(self, session: Session, source: FoundSource) -> bool:
        """Mark a source as being removed; return False if it was already."""
        if removal_store.select_removal(session, source.number) is not None:
            return False
        progress = msgspec.json.encode(
            RemovalProgress(last_company=read_counter(session, "company"))
        ).decode()
        now = self._clock.seconds()
        removal_store.put_removal(
            session, StoredRemoval(source.number, source.name, "removing", now, None, None, None, progress)
        )
        return True

    def _run(
        self, source: FoundSource, commits: Commits, on_progress: Callable[[int, int], None]
    ) -> RemovalCounts:
        load_suffixes()
        run = RemovalRun(
            self._database, self._clock, self._digests, self._deletion, self._cells, commits, source
        )
        return run.run(on_progress)


def check_removable(session: Session, name: str, now: float) -> FoundSource:
    """Return a source that can be removed now. Raises Refused for others."""
    found = find_source(session, name)
    removal = removal_store.select_removal(session, found.number)
    if removal and not removal.is_open:
        raise AlreadyTaken(f"The source {name!r} has been removed already")
    if removal is None:
        check_source_is_free(session, name)
    for each in store.select_imports(session, name):
        if each.state_at(now) == "running":
            raise Refused(
                f"Import {each.id} of the source {name!r} is running; wait for its end. If it was killed, it counts as"
                " interrupted after a minute"
            )
    return found

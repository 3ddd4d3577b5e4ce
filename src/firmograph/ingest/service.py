"""Importing files: prepared batches in, committed records out (docs/reference/import.md#commits)."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from threading import Thread
from typing import Any, NamedTuple

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.domains import load_suffixes
from firmograph.ingest.commits import Commits, time_limit
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import CompanyBatch
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.contacts import ContactBatch
from firmograph.ingest.merging.domain_report import HostNames
from firmograph.ingest.merging.job_moves import JobMoves
from firmograph.ingest.preparation_process import ImportTask, prepare_files
from firmograph.ingest.records.prepared_rows import ContactRows, PreparedCompany, PreparedContact, Reject
from firmograph.ingest.summary import RowResult, Summary
from firmograph.kit.clock import Clock, today
from firmograph.kit.errors import FirmographError
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity
from firmograph.signals.thresholds import Thresholds, load_thresholds


class Importer:
    """Writes prepared rows of one source, in commits short enough for callers to charge in between.

    Each commit is whole: records, keys and their place in the change sequence. An import that stops on the way
    has done the first commits and none of the rest; running it again does the others.
    """

    def __init__(
        self,
        database: Database,
        keyring: Keyring,
        clock: Clock,
        source: str,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
        on_signals: Callable[[int], None] = lambda count: None,
        thresholds: Thresholds | None = None,
        *,
        quiet: bool = False,
    ) -> None:
        self._database = database
        self._commits = Commits(database, on_wait)
        self._digests = Digests(keyring)
        self._linker = Linker(self._digests)
        self._clock = clock
        self._source = source
        self._on_signals = on_signals
        self._thresholds = thresholds or load_thresholds()
        self._quiet = quiet
        self.hosts = HostNames()
        """Of the hosts of all companies that were imported so far."""

    def import_contacts(self, rows: Sequence[PreparedContact]) -> Iterator[list[RowResult]]:
        """The outcomes of each commit, in the order of the rows."""
        return self._each(Entity.CONTACT, rows)

    def import_companies(self, rows: Sequence[PreparedCompany]) -> Iterator[list[RowResult]]:
        return self._each(Entity.COMPANY, rows)

    def _each(self, entity: Entity, rows: Sequence[Any]) -> Iterator[list[RowResult]]:
        start = 0
        while start < len(rows):
            part = rows[start : start + self._commits.size]
            outcomes = self._commits.run_with_retry(lambda part=part: self._commit(entity, part))  # type: ignore[misc]
            yield outcomes
            start += len(outcomes)

    def _commit(self, entity: Entity, rows: Sequence[Any]) -> list[RowResult]:
        try:
            with gc_disabled(), self._database.write(RECORDS) as session:
                began = time.monotonic()
                self._linker.begin(session)
                batch = self._batch(entity, session)
                outcomes = batch.apply(
                    rows, time_limit(self._commits.lock_seconds / 2)
                )  # the rest is for writing
                self._linker.end(session)
        except BaseException:
            self._linker.abandon()
            raise
        self._commits.pace(len(outcomes), time.monotonic() - began)
        if isinstance(batch, ContactBatch) and batch.signals:
            self._on_signals(batch.signals)
        if isinstance(batch, CompanyBatch):
            self.hosts.update(batch.hosts)
        return outcomes

    def _batch(self, entity: Entity, session: Session) -> "ContactBatch | CompanyBatch":
        sources, day = store.number_sources(session, self._source), today(self._clock).isoformat()
        common = session, self._digests, self._linker, sources, self._source, day
        if entity is Entity.COMPANY:
            return CompanyBatch(*common)
        names = {number: name for name, number in sources.items()}
        between = self._thresholds.job_move.days_between
        at = self._clock.seconds()
        moves = JobMoves(self._digests, names, day, between, at, quiet=self._quiet)
        return ContactBatch(*common, moves)


class Progress(NamedTuple):
    """How far an import is: told after each stretch of rows that was prepared and written."""

    file: int
    """Which of the files, from 0."""
    bytes_read: int
    """Of that file."""
    summary: Summary
    detecting: bool = False
    """Whether all rows are in, and signals are looked for."""


SUPPRESSED = "suppressed"


def import_files(
    database: Database,
    task: ImportTask,
    clock: Clock,
    on_reject: Callable[[int, Reject], None],
    on_progress: Callable[[Progress], None],
    on_wait: Callable[[FirmographError], None] = lambda why: None,
    on_signals: Callable[[int], None] = lambda count: None,
    thresholds: Thresholds | None = None,
    *,
    quiet: bool = False,
    on_shared_hosts: Callable[[Mapping[str, int]], None] = lambda hosts: None,
) -> Summary:
    """Import all files of a job; what it did.

    `on_reject` is told of every row that was set aside, with the number of its file; of a suppressed one only
    the line. `on_wait` is told why the import has to wait for its database, which it does for `WAIT_SECONDS`; rows of
    a commit that was cut off may then count as unchanged. `on_signals` is told how many signals a commit detected.
    An import that is interrupted continues by running it again. Without `thresholds` the packaged ones count.
    Of signals that are detected `quiet`ly no webhook tells. `on_shared_hosts` gets the hosts that five companies with
    different names or more gave as their domain, with the count of names.
    """
    importer = Importer(
        database, task.keyring, clock, task.source, on_wait, on_signals, thresholds, quiet=quiet
    )
    # while another process prepares the first rows
    loading = Thread(target=load_suffixes, name="suffixes")
    loading.start()
    database.session().relax()
    summary = Summary()
    with closing(prepare_files(task)) as stretches:
        for rows in stretches:
            loading.join()
            summary.read += len(rows.rows) + len(rows.rejects)
            summary.rejected += len(rows.rejects)
            summary.values.add(rows.values)
            for reject in rows.rejects:
                on_reject(rows.file, reject)
            commits = (
                importer.import_contacts(rows.rows)
                if isinstance(rows, ContactRows)
                else importer.import_companies(rows.rows)
            )
            for outcome in (outcome for outcomes in commits for outcome in outcomes):
                summary.count(outcome)
                if outcome.suppressed:
                    on_reject(rows.file, Reject(outcome.line, SUPPRESSED))
            on_progress(Progress(rows.file, rows.bytes_read, summary))
    if shared := importer.hosts.shared():
        on_shared_hosts(shared)
    return summary

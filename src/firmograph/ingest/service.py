"""Import of contacts and companies from files (docs/reference/import.md#commits)."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from threading import Thread
from typing import Any, NamedTuple

import msgspec

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.domains import load_suffixes
from firmograph.ingest.commits import Commits, time_limit
from firmograph.ingest.imports.runs import ImportRun, ImportRuns
from firmograph.ingest.merging import store
from firmograph.ingest.merging.companies import CompanyBatch
from firmograph.ingest.merging.company_linking import Linker
from firmograph.ingest.merging.contacts import ContactBatch
from firmograph.ingest.merging.domain_report import HostNames
from firmograph.ingest.merging.job_moves import JobMoves
from firmograph.ingest.preparation_process import ImportTask, prepare_files
from firmograph.ingest.records.prepared_rows import ContactRows, PreparedCompany, PreparedContact, Reject
from firmograph.ingest.summary import Join, RowResult, Summary
from firmograph.kit.clock import Clock, today
from firmograph.kit.errors import FirmographError
from firmograph.kit.gc_tuning import gc_disabled
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity
from firmograph.signals.statements import Origin
from firmograph.signals.thresholds import Thresholds, load_thresholds


class Importer:
    """Writer of one source's prepared rows in short commits.

    Commits are short so that requests can charge in between. Each one contains records, keys and change sequence
    numbers together. After an interruption the finished commits stand, and running the import again does the rest.
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
        run: ImportRun | None = None,
    ) -> None:
        """Create a writer; without a `run` nothing is kept to take the import back."""
        self._database = database
        self._commits = Commits(database, on_wait)
        self._digests = Digests(keyring)
        self._linker = Linker(self._digests)
        self._clock = clock
        self._source = source
        self._on_signals = on_signals
        self._thresholds = thresholds or load_thresholds()
        self._quiet = quiet
        self._run = run
        self._opted_out: list[int] = []
        self.hosts = HostNames()
        """Names per host of all companies imported so far."""

    def import_contacts(self, rows: Sequence[PreparedContact]) -> Iterator[list[RowResult]]:
        """Yield the results of each commit, in the order of the rows."""
        return self._each(Entity.CONTACT, rows)

    def import_companies(self, rows: Sequence[PreparedCompany]) -> Iterator[list[RowResult]]:
        return self._each(Entity.COMPANY, rows)

    def take_opted_out(self) -> list[int]:
        """Return the contacts that rows marked as opted out since the last call."""
        found, self._opted_out = self._opted_out, []
        return found

    def _each(self, entity: Entity, rows: Sequence[Any]) -> Iterator[list[RowResult]]:
        start = 0
        while start < len(rows):
            part = rows[start : start + self._commits.size]
            results = self._commits.run_with_retry(lambda part=part: self._commit(entity, part))  # type: ignore[misc]
            yield results
            start += len(results)

    def _commit(self, entity: Entity, rows: Sequence[Any]) -> list[RowResult]:
        try:
            with gc_disabled(), self._database.write(RECORDS) as session:
                began = time.monotonic()
                if self._run:
                    self._run.keep_alive(session)
                self._linker.begin(session)
                batch = self._batch(entity, session)
                results = batch.apply(
                    rows, time_limit(self._commits.lock_seconds / 2)
                )  # the rest is for writing
                self._linker.end(session)
                effects = batch.effects() if self._run else []
                opted_out = _opted_out(rows, results) if entity is Entity.CONTACT else []
                if self._run:
                    self._run.keep(session, effects, opted_out)
        except BaseException:
            self._linker.abandon()
            raise
        self._commits.pace(len(results), time.monotonic() - began)
        self._opted_out += opted_out
        if self._run:
            self._run.note_created(effects)
        if isinstance(batch, ContactBatch) and batch.signals:
            self._on_signals(batch.signals)
        if isinstance(batch, CompanyBatch):
            self.hosts.update(batch.hosts)
        return results

    def _batch(self, entity: Entity, session: Session) -> "ContactBatch | CompanyBatch":
        sources, day = store.number_sources(session, self._source), today(self._clock).isoformat()
        common = session, self._digests, self._linker, sources, self._source, day
        if entity is Entity.COMPANY:
            return CompanyBatch(*common)
        names = {number: name for name, number in sources.items()}
        between = self._thresholds.job_move.days_between
        at = self._clock.seconds()
        origin = Origin(sources[self._source], self._run.number if self._run else None)
        moves = JobMoves(self._digests, names, day, between, at, origin, quiet=self._quiet)
        return ContactBatch(*common, moves)


class Progress(NamedTuple):
    """Progress of an import after a batch of rows."""

    file: int
    """Index of the current file."""
    bytes_read: int
    """Bytes read of that file."""
    summary: Summary
    detecting: bool = False
    """Whether all rows are committed and signals are being detected."""


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
    on_opted_out: Callable[[Sequence[int]], None] = lambda numbers: None,
    on_join: Callable[[int, Join], None] = lambda number, join: None,
) -> Summary:
    """Import all files of a task and return the summary.

    Running an interrupted import again continues it.

    Args:
        database: where the records go.
        task: files, source and keyring.
        clock: gives the day of the import.
        on_reject: receives the file's index and each rejected row; for a suppressed row only its line.
        on_progress: receives the progress after each batch.
        on_wait: receives the reason when the import waits for its database, up to `commits.WAIT_SECONDS`. Rows of an
            interrupted commit may then count as unchanged.
        on_signals: receives the number of signals that a commit detected.
        thresholds: thresholds of signals; the packaged ones by default.
        quiet: whether detected signals are kept from webhooks.
        on_shared_hosts: receives the hosts that at least five companies with different names gave as their domain,
            with the number of names.
        on_opted_out: receives the numbers of the contacts that the rows of a batch mark as opted out.
        on_join: receives the number of each record of other sources that takes the first row of this one.
    """
    # load the suffix list while the other process prepares the first rows
    loading = Thread(target=load_suffixes, name="suffixes")
    loading.start()
    database.session().relax()
    summary = Summary()
    opted_out: set[int] = set()
    runs, paths, mapping = ImportRuns(database, clock), task.paths, _mapping_json(task)
    with closing(prepare_files(task)) as batches:
        run = Commits(database, on_wait).run_with_retry(
            lambda: runs.begin(task.entity.plural, task.source, paths, mapping, complete=task.complete)
        )
        importer = Importer(
            database, task.keyring, clock, task.source, on_wait, on_signals, thresholds, quiet=quiet, run=run
        )
        with run.ended_with(summary):
            for rows in batches:
                loading.join()
                rejected = len(rows.rejects) - rows.values.skipped.count
                summary.read += len(rows.rows) + rejected
                summary.rejected += rejected
                summary.values.add(rows.values)
                summary.count_lost(rows.rejects)
                for reject in rows.rejects:
                    on_reject(rows.file, reject)
                commits = (
                    importer.import_contacts(rows.rows)
                    if isinstance(rows, ContactRows)
                    else importer.import_companies(rows.rows)
                )
                results = [result for some in commits for result in some]
                for result in results:
                    summary.count(result)
                    if result.suppressed:
                        on_reject(rows.file, Reject(result.line, SUPPRESSED, is_lost=False))
                    if result.join:
                        on_join(result.record, result.join)
                if marked := importer.take_opted_out():
                    opted_out.update(marked)
                    summary.opted_out = len(opted_out)
                    on_opted_out(marked)
                on_progress(Progress(rows.file, rows.bytes_read, summary))
    if shared := importer.hosts.shared():
        on_shared_hosts(shared)
    return summary


def _opted_out(rows: Sequence[PreparedContact], results: Sequence[RowResult]) -> list[int]:
    """Return the contacts of the first rows, as many as there are results, that are marked as opted out."""
    return [
        result.record for row, result in zip(rows, results, strict=False) if row.opted_out and result.record
    ]


def _mapping_json(task: ImportTask) -> str | None:
    """Return the columns that the operator mapped, as JSON."""
    return msgspec.json.encode(task.mapping.columns).decode() if task.mapping.columns else None

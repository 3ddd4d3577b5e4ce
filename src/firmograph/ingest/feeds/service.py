"""Import of files of dated facts: read, applied in short commits, evaluated after the last row.

See docs/reference/import.md#files-of-facts.
"""

import time
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from firmograph.database.connection import RECORDS, Database, Session
from firmograph.ingest.commits import Commits
from firmograph.ingest.feeds.feed import Commit, CommitResult, Feed, FinalStep, LookAheadFeed
from firmograph.ingest.feeds.feed_rows import read_facts
from firmograph.ingest.imports.runs import ImportRun, ImportRuns
from firmograph.ingest.merging import store
from firmograph.ingest.reading.readers import AUTODETECT, ReadOptions
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.service import SUPPRESSED, Progress
from firmograph.ingest.summary import FeedSummary
from firmograph.kit.clock import Clock, today
from firmograph.kit.errors import FirmographError
from firmograph.signals.store import record_feed


class FeedImporter:
    """Writer of one source's facts; each commit includes the signals of its facts."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        feed: Feed[Any],
        source: str,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
        *,
        quiet: bool = False,
        run: ImportRun | None = None,
    ) -> None:
        self._database = database
        self._commits = Commits(database, on_wait)
        self._clock = clock
        self._feed = feed
        self._source = source
        self._quiet = quiet
        self._run = run

    def apply(self, facts: Sequence[Any], on_commit: Callable[[CommitResult], None]) -> None:
        """Write facts in as many commits as they need; call `on_commit` after each."""
        start = 0
        while start < len(facts):
            part = facts[start : start + self._commits.size]
            on_commit(self._commits.run_with_retry(lambda part=part: self._apply(part)))  # type: ignore[misc]
            start += len(part)

    def finish(self, on_signals: Callable[[int], None]) -> None:
        """Run the final steps after all facts; call `on_signals` with the new signals of each."""
        for step in self._feed.steps():
            on_signals(self._commits.run_with_retry(lambda step=step: self._step(step)))  # type: ignore[misc]

    def _apply(self, facts: Sequence[Any]) -> CommitResult:
        with self._database.write(RECORDS) as session:
            began = time.monotonic()
            if self._run:
                self._run.keep_alive(session)
            applied = self._feed.apply(self._commit(session), facts)
        self._commits.pace(len(facts), time.monotonic() - began)
        return applied

    def _step(self, step: FinalStep) -> int:
        with self._database.write(RECORDS) as session:
            return step(self._commit(session))

    def _commit(self, session: Session) -> Commit:
        source = store.number_sources(session, self._source)[self._source]
        record_feed(session, self._feed.kind, source)
        day, at = today(self._clock).isoformat(), self._clock.seconds()
        number = self._run.number if self._run else None
        return Commit(session, source, self._source, day, at, self._quiet, number)


def import_feed(
    database: Database,
    clock: Clock,
    feed: Feed[Any],
    paths: Sequence[str],
    source: str,
    on_reject: Callable[[int, Reject], None],
    on_progress: Callable[[Progress], None],
    on_wait: Callable[[FirmographError], None] = lambda why: None,
    *,
    quiet: bool = False,
    read_options: Sequence[ReadOptions] = (),
) -> FeedSummary:
    """Import files of one kind of facts and return the summary.

    The hooks and `quiet` are those of `ingest.service.import_files`; `read_options` give the reading of each file. An
    interrupted import continues when it runs again: facts already written change nothing.
    """
    run = Commits(database, on_wait).run_with_retry(
        lambda: ImportRuns(database, clock).begin(feed.kind, source, paths)
    )
    importer = FeedImporter(database, clock, feed, source, on_wait, quiet=quiet, run=run)
    database.session().relax()
    summary = FeedSummary()
    files = list(zip(map(Path, paths), read_options or [AUTODETECT] * len(paths), strict=True))
    with run.ended_with(summary):
        if isinstance(feed, LookAheadFeed):
            feed.look_ahead(files, today(clock).isoformat())
        for file, (path, reading) in enumerate(files):
            for batch in read_facts(path, feed, reading):
                rejects = list(batch.rejects)
                rejected = len(batch.rejects) - batch.values.skipped.count
                summary.rejected += rejected
                summary.values.add(batch.values)

                def on_commit(result: CommitResult, rejects: list[Reject] = rejects) -> None:
                    rejects += result.rejects
                    rejects += [
                        Reject(one.line, SUPPRESSED, is_lost=False)
                        for one in result.outcomes
                        if one.suppressed
                    ]
                    _count(summary, result)

                importer.apply(batch.facts, on_commit)
                summary.read += len(batch.facts) + rejected
                summary.count_lost(rejects)
                for reject in sorted(rejects, key=attrgetter("line")):
                    on_reject(file, reject)
                on_progress(Progress(file, batch.bytes_read, summary))

        def on_signals(signals: int) -> None:
            summary.signals += signals
            on_progress(Progress(len(paths) - 1, 0, summary, detecting=True))

        importer.finish(on_signals)
    return summary


def _count(summary: FeedSummary, result: CommitResult) -> None:
    for outcome in result.outcomes:
        summary.count(outcome)
    summary.rejected += len(result.rejects)
    summary.signals += result.signals
    summary.unnamed += result.unnamed

"""Importing files of dated facts: read, applied in short commits, judged once all are in.

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
from firmograph.ingest.merging import store
from firmograph.ingest.reading.readers import AS_FOUND, Reading
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.service import SUPPRESSED, Progress
from firmograph.ingest.summary import FeedSummary
from firmograph.kit.clock import Clock, today
from firmograph.kit.errors import FirmographError
from firmograph.signals.store import put_feed


class FeedImporter:
    """Writes the facts of one source; each commit is whole, facts with the signals that they show."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        feed: Feed[Any],
        source: str,
        on_wait: Callable[[FirmographError], None] = lambda why: None,
        *,
        quiet: bool = False,
    ) -> None:
        self._database = database
        self._commits = Commits(database, on_wait)
        self._clock = clock
        self._feed = feed
        self._source = source
        self._quiet = quiet

    def apply(self, facts: Sequence[Any], told: Callable[[CommitResult], None]) -> None:
        """Write facts in as many commits as they need; `told` hears of each once it is in."""
        start = 0
        while start < len(facts):
            part = facts[start : start + self._commits.size]
            told(self._commits.insist(lambda part=part: self._apply(part)))  # type: ignore[misc]
            start += len(part)

    def finish(self, told: Callable[[int], None]) -> None:
        """What is to be done once all facts are in; `told` hears of new signals."""
        for step in self._feed.steps():
            told(self._commits.insist(lambda step=step: self._step(step)))  # type: ignore[misc]

    def _apply(self, facts: Sequence[Any]) -> CommitResult:
        with self._database.write(RECORDS) as session:
            began = time.monotonic()
            applied = self._feed.apply(self._commit(session), facts)
        self._commits.pace(len(facts), time.monotonic() - began)
        return applied

    def _step(self, step: FinalStep) -> int:
        with self._database.write(RECORDS) as session:
            return step(self._commit(session))

    def _commit(self, session: Session) -> Commit:
        source = store.number_sources(session, self._source)[self._source]
        put_feed(session, self._feed.kind, source)
        day, at = today(self._clock).isoformat(), self._clock.seconds()
        return Commit(session, source, self._source, day, at, self._quiet)


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
    readings: Sequence[Reading] = (),
) -> FeedSummary:
    """Import files of one kind of facts; what it did. The hooks and `quiet` are those of
    `ingest.service.import_files`; `readings` say how each file is to be read.

    An import that is interrupted continues by running it again: what is in changes nothing.
    """
    importer = FeedImporter(database, clock, feed, source, on_wait, quiet=quiet)
    database.session().relax()
    summary = FeedSummary()
    files = list(zip(map(Path, paths), readings or [AS_FOUND] * len(paths), strict=True))
    if isinstance(feed, LookAheadFeed):
        feed.look_ahead(files, today(clock).isoformat())
    for file, (path, reading) in enumerate(files):
        for some in read_facts(path, feed, reading):
            aside = list(some.rejects)
            summary.rejected += len(some.rejects)
            summary.values.add(some.values)

            def applied(done: CommitResult, aside: list[Reject] = aside) -> None:
                aside += done.rejects
                aside += [Reject(one.line, SUPPRESSED) for one in done.outcomes if one.suppressed]
                _count(summary, done)

            importer.apply(some.facts, applied)
            summary.read += len(some.facts) + len(some.rejects)
            for reject in sorted(aside, key=attrgetter("line")):
                on_reject(file, reject)
            on_progress(Progress(file, some.bytes_read, summary))

    def judged(signals: int) -> None:
        summary.signals += signals
        on_progress(Progress(len(paths) - 1, 0, summary, looking=True))

    importer.finish(judged)
    return summary


def _count(summary: FeedSummary, done: CommitResult) -> None:
    for outcome in done.outcomes:
        summary.count(outcome)
    summary.rejected += len(done.rejects)
    summary.signals += done.signals
    summary.unnamed += done.unnamed

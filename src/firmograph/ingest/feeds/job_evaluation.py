"""What follows once all postings of an import are in: openings on records, and surges.

See docs/reference/signals.md#hiring-surges.

Every company with postings of the source is judged as of the import's day. Its record tells what is open as of the
newest day that any import of the source was judged at, so that an older file never takes back newer openings.
"""

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from firmograph.directory.records import Company
from firmograph.ingest.commits import LOCK_SECONDS
from firmograph.ingest.feeds.feed import Commit, FeedDependencies, FinalStep
from firmograph.ingest.feeds.job_counts import open_jobs
from firmograph.ingest.merging.company_facts import FeedValues, merge_feed_values
from firmograph.signals import hiring_store as store
from firmograph.signals.hiring import surges, week_before, week_end, weeks_needed
from firmograph.signals.hiring_store import Employer

_FEWEST, _MOST = 10, 500
"""Companies that are judged in one commit: as many as took `LOCK_SECONDS` before."""
_MOST_POSTINGS = 5000
"""Postings that they have together, but for a company with more."""


def evaluation_steps(parts: FeedDependencies, as_of: str) -> Iterator[FinalStep]:
    """The steps, each of which may be made again when its commit is lost."""
    begun = _CoverageStep(parts, as_of)
    yield begun
    page = _CompaniesStep(parts, begun.found, 0, _FEWEST)
    while True:
        yield page
        if page.last is None:
            break
        page = _CompaniesStep(parts, begun.found, page.last, page.fitting)


class _Coverage(NamedTuple):
    """How far a source is known."""

    day: str
    """As of the newest import."""
    snapshot: str
    """The day of the last snapshot, `""` if there was none."""
    weeks: Sequence[str]
    """The ends of the covered weeks that this import is judged by, newest first."""


class _CoverageStep:
    def __init__(self, parts: FeedDependencies, as_of: str) -> None:
        self._parts = parts
        self._as_of = as_of
        self.found = _Coverage(as_of, "", ())

    def __call__(self, commit: Commit) -> int:
        session, source, snapshot = commit.session, commit.source, self._parts.snapshot
        if snapshot:
            store.cover(session, source, {week_end(self._as_of)})
        day, last_snapshot = store.advance(session, source, self._as_of, snapshot=snapshot)
        most = weeks_needed(self._parts.thresholds.hiring)
        self.found = _Coverage(day, last_snapshot, store.covered(session, source, self._as_of, most))
        return 0


class _CompaniesStep:
    """Some companies, in the order of their numbers."""

    def __init__(self, parts: FeedDependencies, known: _Coverage, after: int, most: int) -> None:
        self._parts = parts
        self._known = known
        self._after = after
        self._most = most
        self.last: int | None = None
        """The last of them; None when none was left."""
        self.fitting = most
        """How many the next page should have."""

    def __call__(self, commit: Commit) -> int:
        began = time.monotonic()
        some = _within(store.employers(commit.session, commit.source, self._after, self._most))
        self.last = some[-1].number if some else None
        if not some:
            return 0
        self._tell(commit, some)
        detected = self._detect(commit, some)
        fitting = len(some) * LOCK_SECONDS / max(time.monotonic() - began, 1e-6)
        self.fitting = int(min(max(fitting, _FEWEST), self._most * 2, _MOST))
        return detected

    def _tell(self, commit: Commit, some: Sequence[Employer]) -> None:
        numbers = [one.number for one in some]
        known = self._known
        opened = store.open_at(commit.session, commit.source, numbers, known.day, known.snapshot)
        told = {
            number: FeedValues(known.day, Company(open_jobs=open_jobs(opened.get(number, ())), stub=True))
            for number in numbers
        }
        merge_feed_values(commit.session, store.KIND, commit.source_name, told)

    def _detect(self, commit: Commit, some: Sequence[Employer]) -> int:
        weeks = self._known.weeks
        if not weeks:
            return 0
        numbers = [one.number for one in some]
        oldest, newest = week_before(weeks[-1]), weeks[0]
        found = store.openings(commit.session, commit.source, numbers, oldest, newest)
        limits = self._parts.thresholds.hiring
        detected = [
            surge
            for one in some
            for surge in surges(one.number, one.first, weeks, found.get(one.number, ()), limits)
        ]
        return commit.store_signals(self._parts.digests, detected)


def _within(some: Sequence[Employer]) -> list[Employer]:
    """The first of them, at least one, that have no more than so many postings together."""
    within: list[Employer] = []
    total = 0
    for one in some:
        total += one.postings
        if within and total > _MOST_POSTINGS:
            break
        within.append(one)
    return within

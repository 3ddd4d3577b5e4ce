"""Evaluation after all postings of an import: openings on records, and surges.

See docs/reference/signals.md#hiring-surges.

Every company with postings of the source is evaluated as of the import's day. Its record shows the openings as of the
newest day of any import of the source, so that an older file never replaces newer openings.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from firmograph.directory.records import (
    Company,
    DepartmentCount,
    LocationCount,
    OpenJobs,
    SeniorityCount,
)
from firmograph.ingest.commits import LOCK_SECONDS
from firmograph.ingest.feeds.feed import Commit, FeedDependencies, FinalStep
from firmograph.ingest.merging.company_facts import FeedValues, merge_feed_values
from firmograph.signals.hiring import store
from firmograph.signals.hiring.detector import detect_surges, week_before, week_end, weeks_needed
from firmograph.signals.hiring.store import HiringCompany, OpenPostings

K = TypeVar("K")

_FEWEST, _MOST = 10, 500
"""Companies evaluated per commit, adapted so that a commit takes `LOCK_SECONDS`."""
_MOST_POSTINGS = 5000
"""Postings evaluated per commit, unless one company alone has more."""


def evaluation_steps(dependencies: FeedDependencies, as_of: str) -> Iterator[FinalStep]:
    """Yield the steps; each may run again when its commit is lost."""
    first = _CoverageStep(dependencies, as_of)
    yield first
    step = _CompaniesStep(dependencies, first.coverage, 0, _FEWEST)
    while True:
        yield step
        if step.last is None:
            break
        step = _CompaniesStep(dependencies, first.coverage, step.last, step.next_size)


class _Coverage(NamedTuple):
    """The days and weeks that imports of a source covered."""

    day: str
    """Day of the newest import."""
    snapshot: str
    """Day of the last snapshot, `""` if there was none."""
    weeks: Sequence[str]
    """Ends of the covered weeks that this import is evaluated by, newest first."""


class _CoverageStep:
    """The first step: note the coverage of this import."""

    def __init__(self, dependencies: FeedDependencies, as_of: str) -> None:
        self._dependencies = dependencies
        self._as_of = as_of
        self.coverage = _Coverage(as_of, "", ())

    def __call__(self, commit: Commit) -> int:
        session, source, snapshot = commit.session, commit.source, self._dependencies.snapshot
        if snapshot:
            store.add_covered_weeks(session, source, {week_end(self._as_of)})
        day, last_snapshot = store.advance_days(session, source, self._as_of, snapshot=snapshot)
        most = weeks_needed(self._dependencies.thresholds.hiring)
        self.coverage = _Coverage(day, last_snapshot, store.covered_weeks(session, source, self._as_of, most))
        return 0


class _CompaniesStep:
    """The evaluation of one page of companies, in number order."""

    def __init__(self, dependencies: FeedDependencies, coverage: _Coverage, after: int, most: int) -> None:
        self._dependencies = dependencies
        self._coverage = coverage
        self._after = after
        self._most = most
        self.last: int | None = None
        """Number of the last company; None when none was left."""
        self.next_size = most
        """Number of companies for the next step."""

    def __call__(self, commit: Commit) -> int:
        began = time.monotonic()
        page = _limit_postings(
            store.next_hiring_companies(commit.session, commit.source, self._after, self._most)
        )
        self.last = page[-1].number if page else None
        if not page:
            return 0
        self._merge_openings(commit, page)
        detected = self._detect(commit, page)
        fitting = len(page) * LOCK_SECONDS / max(time.monotonic() - began, 1e-6)
        self.next_size = int(min(max(fitting, _FEWEST), self._most * 2, _MOST))
        return detected

    def _merge_openings(self, commit: Commit, page: Sequence[HiringCompany]) -> None:
        numbers = [company.number for company in page]
        coverage = self._coverage
        opened = store.open_postings_at(
            commit.session, commit.source, numbers, coverage.day, coverage.snapshot
        )
        values = {
            number: FeedValues(
                coverage.day, Company(open_jobs=_count_open_jobs(opened.get(number, ())), stub=True)
            )
            for number in numbers
        }
        merge_feed_values(commit.session, store.KIND, commit.source_name, values)

    def _detect(self, commit: Commit, page: Sequence[HiringCompany]) -> int:
        weeks = self._coverage.weeks
        if not weeks:
            return 0
        numbers = [company.number for company in page]
        oldest, newest = week_before(weeks[-1]), weeks[0]
        found = store.openings_between(commit.session, commit.source, numbers, oldest, newest)
        limits = self._dependencies.thresholds.hiring
        detected = [
            surge
            for company in page
            for surge in detect_surges(
                company.number, company.first, weeks, found.get(company.number, ()), limits
            )
        ]
        return commit.store_signals(self._dependencies.digests, detected)


def _limit_postings(page: Sequence[HiringCompany]) -> list[HiringCompany]:
    """Return the first companies within `_MOST_POSTINGS` together, at least one."""
    within: list[HiringCompany] = []
    total = 0
    for company in page:
        total += company.postings
        if within and total > _MOST_POSTINGS:
            break
        within.append(company)
    return within


def _count_open_jobs(openings: Iterable[OpenPostings]) -> OpenJobs:
    """Count open postings in total and by department, seniority and location, largest counts first.

    Postings without a location or seniority are left out of that breakdown only.
    """
    departments: Counter[str] = Counter()
    seniorities: Counter[str] = Counter()
    locations: Counter[tuple[str, str]] = Counter()
    for opening in openings:
        departments[opening.department] += opening.postings
        if opening.seniority:
            seniorities[opening.seniority] += opening.postings
        if opening.country:
            locations[opening.country, opening.state or ""] += opening.postings
    return OpenJobs(
        total=departments.total(),
        by_department=[DepartmentCount(name, count) for name, count in _sort_counts(departments)],
        by_location=[
            LocationCount(country, count, state or None)
            for (country, state), count in _sort_counts(locations)
        ],
        by_seniority=[SeniorityCount(name, count) for name, count in _sort_counts(seniorities)],
    )


def _sort_counts(counts: Mapping[K, int]) -> list[tuple[K, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

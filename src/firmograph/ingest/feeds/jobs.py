"""Feed of job postings: open jobs of companies, and hiring surges.

See docs/reference/signals.md#hiring-surges.

An import is evaluated as of a day: the operator's, else its newest opening date that is not after the day of the
import. An ordinary import covers each week up to that day in which it has a posting, also one of an unknown company. A
snapshot covers only the week of that day, because postings of earlier weeks that have closed are missing from it.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from firmograph.ingest.feeds.companies import ALIASES, UNKNOWN_COMPANY
from firmograph.ingest.feeds.feed import Commit, CommitResult, FeedDependencies, FinalStep
from firmograph.ingest.feeds.feed_rows import read_facts
from firmograph.ingest.feeds.job_evaluation import evaluation_steps
from firmograph.ingest.feeds.job_rows import JobFact, JobRow, merge_posting, parse_job
from firmograph.ingest.merging.company_linking import Finder
from firmograph.ingest.reading.readers import ReadOptions
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.summary import RowResult
from firmograph.signals.hiring import store
from firmograph.signals.hiring.detector import week_end
from firmograph.signals.hiring.store import Posting


class JobsFeed:
    """The feed of job postings of one import."""

    kind = store.KIND
    row = JobRow
    needs = ("company", "postingId", "title", "openDate")
    aliases = ALIASES | {
        "jobid": "postingId",
        "id": "postingId",
        "jobtitle": "title",
        "position": "title",
        "positiontitle": "title",
        "dateposted": "openDate",
        "opened": "openDate",
        "postingdate": "openDate",
        "closed": "closeDate",
        "closingdate": "closeDate",
        "validthrough": "closeDate",
    }

    def __init__(self, dependencies: FeedDependencies) -> None:
        self._dependencies = dependencies
        self._finder = Finder(dependencies.digests)
        self._as_of = dependencies.as_of
        self._has_company = False
        """Whether any posting was of a stored company."""

    def read_fact(self, line: int, row: JobRow) -> JobFact:
        return parse_job(line, row)

    def look_ahead(self, files: Sequence[tuple[Path, ReadOptions]], day: str) -> None:
        if self._as_of is None:
            opened = (
                fact.posting.opened
                for path, reading in files
                for batch in read_facts(path, self, reading)
                for fact in batch.facts
            )
            self._as_of = max((one for one in opened if one <= day), default=None)

    def apply(self, commit: Commit, facts: Sequence[JobFact]) -> CommitResult:
        self._cover(commit, facts)
        rejects: list[Reject] = []
        by_company: dict[int, list[JobFact]] = defaultdict(list)
        for fact, number in zip(
            facts, commit.find_companies(self._finder, [f.company for f in facts]), strict=True
        ):
            if number is None:
                rejects.append(Reject(fact.line, UNKNOWN_COMPANY))
            else:
                by_company[number].append(fact)
        self._has_company = self._has_company or bool(by_company)
        outcomes: list[RowResult] = []
        changed: list[tuple[int, Posting]] = []
        for number, group in by_company.items():
            ids = {fact.posting.id for fact in group}
            stored = store.stored_postings(commit.session, commit.source, number, ids)
            before = dict(stored)
            outcomes += [self._merge_posting(stored, fact) for fact in group]
            changed += [(number, one) for one in stored.values() if before.get(one.id) != one]
        store.store_postings(commit.session, commit.source, changed)
        return CommitResult(outcomes, rejects)

    def _cover(self, commit: Commit, facts: Sequence[JobFact]) -> None:
        if self._as_of is None or self._dependencies.snapshot:
            return
        days = {fact.posting.opened for fact in facts if fact.posting.opened <= self._as_of}
        store.add_covered_weeks(commit.session, commit.source, {week_end(day) for day in days})

    def _merge_posting(self, stored: dict[str, Posting], fact: JobFact) -> RowResult:
        new = fact.posting._replace(seen=self._as_of or "")
        old = stored.get(new.id)
        if old is None:
            stored[new.id] = new
            return RowResult(fact.line, created=True)
        found = stored[new.id] = merge_posting(old, new)
        changed = found._replace(seen="") != old._replace(seen="")
        return RowResult(fact.line, updated=changed, unchanged=not changed)

    def steps(self) -> Iterator[FinalStep]:
        # a snapshot without a usable posting is a broken file: it must not close all stored postings
        if self._as_of is None or (self._dependencies.snapshot and not self._has_company):
            return iter(())
        return evaluation_steps(self._dependencies, self._as_of)

"""Job postings: what is open at a company, and when it opens more than it used to.

See docs/reference/signals.md#hiring-surges.

An import is judged as of a day: the one that the operator says, else its newest opening date, but never one that is
still to come on the day of the import. An ordinary import covers each week of which it has a posting up to that day,
whether or not its company is held; a snapshot covers only the week of that day, as what it has of earlier weeks is what
is left of them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from firmograph.ingest.feeds.companies import ALIASES, UNKNOWN_COMPANY
from firmograph.ingest.feeds.feed import Commit, CommitResult, FeedDependencies, FinalStep
from firmograph.ingest.feeds.feed_rows import read_facts
from firmograph.ingest.feeds.job_evaluation import evaluation_steps
from firmograph.ingest.feeds.job_rows import JobFact, JobRow, job_fact, merge_posting
from firmograph.ingest.merging.company_linking import Finder
from firmograph.ingest.reading.readers import Reading
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.summary import Outcome
from firmograph.signals import hiring_store as store
from firmograph.signals.hiring import week_end
from firmograph.signals.hiring_store import Posting


class JobsFeed:
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

    def __init__(self, parts: FeedDependencies) -> None:
        self._parts = parts
        self._finder = Finder(parts.digests)
        self._as_of = parts.as_of
        self._is_placed = False
        """Whether any posting was one of a company that is held."""

    def read_fact(self, line: int, row: JobRow) -> JobFact:
        return job_fact(line, row)

    def look_ahead(self, files: Sequence[tuple[Path, Reading]], day: str) -> None:
        if self._as_of is None:
            opened = (
                fact.posting.opened
                for path, reading in files
                for some in read_facts(path, self, reading)
                for fact in some.facts
            )
            self._as_of = max((one for one in opened if one <= day), default=None)

    # --- all rows ---

    def apply(self, commit: Commit, facts: Sequence[JobFact]) -> CommitResult:
        self._cover(commit, facts)
        rejects: list[Reject] = []
        of_company: dict[int, list[JobFact]] = defaultdict(list)
        for fact, number in zip(
            facts, commit.find_companies(self._finder, [f.company for f in facts]), strict=True
        ):
            if number is None:
                rejects.append(Reject(fact.line, UNKNOWN_COMPANY))
            else:
                of_company[number].append(fact)
        self._is_placed = self._is_placed or bool(of_company)
        outcomes: list[Outcome] = []
        changed: list[tuple[int, Posting]] = []
        for number, some in of_company.items():
            ids = {fact.posting.id for fact in some}
            held = store.postings(commit.session, commit.source, number, ids)
            before = dict(held)
            outcomes += [self._place(held, fact) for fact in some]
            changed += [(number, one) for one in held.values() if before.get(one.id) != one]
        store.put_postings(commit.session, commit.source, changed)
        return CommitResult(outcomes, rejects)

    def _cover(self, commit: Commit, facts: Sequence[JobFact]) -> None:
        if self._as_of is None or self._parts.snapshot:
            return
        days = {fact.posting.opened for fact in facts if fact.posting.opened <= self._as_of}
        store.cover(commit.session, commit.source, {week_end(day) for day in days})

    def _place(self, held: dict[str, Posting], fact: JobFact) -> Outcome:
        new = fact.posting._replace(seen=self._as_of or "")
        old = held.get(new.id)
        if old is None:
            held[new.id] = new
            return Outcome(fact.line, created=True)
        found = held[new.id] = merge_posting(old, new)
        changed = found._replace(seen="") != old._replace(seen="")
        return Outcome(fact.line, updated=changed, unchanged=not changed)

    # --- once they are in ---

    def steps(self) -> Iterator[FinalStep]:
        # a snapshot without a single posting is a file that went wrong: it must not close all that are held
        if self._as_of is None or (self._parts.snapshot and not self._is_placed):
            return iter(())
        return evaluation_steps(self._parts, self._as_of)

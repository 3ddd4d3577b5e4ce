"""Base of feeds of dated figures: one number per company and day, or month.

Applying rows only writes them; once all are in, every company with changed figures is evaluated with all its stored
figures. So signals depend neither on the order of rows nor on the commits between them, and the next import evaluates
the companies that an interrupted one left out.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, ClassVar, NamedTuple

import msgspec

from firmograph.directory.records import CompanyRef
from firmograph.ingest.commits import LOCK_SECONDS
from firmograph.ingest.feeds.companies import UNKNOWN_COMPANY
from firmograph.ingest.feeds.feed import Commit, CommitResult, FeedDependencies, FinalStep
from firmograph.ingest.merging.company_linking import Finder
from firmograph.ingest.reading.inputs import Scalar
from firmograph.ingest.records.preparation import Unusable
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.records.values import day, line, number
from firmograph.ingest.summary import RowResult
from firmograph.signals.events import Detected
from firmograph.signals.figures import store as figure_store
from firmograph.signals.figures.detectors import Figure
from firmograph.signals.figures.store import Amount, FigureKey

_FIRST_DAY = "1900-01-01"
_FIRST, _MOST = 20, 2000
"""Companies evaluated per commit, adapted so that a commit takes `LOCK_SECONDS`."""


class FigureFact(NamedTuple):
    """The figure of a row."""

    line: int
    company: CompanyRef
    day: str
    amount: Amount


class FiguresFeed:
    """Base class of feeds of figures; subclasses parse rows and detect signals."""

    kind: ClassVar[str]
    row: ClassVar[type[msgspec.Struct]]
    needs: ClassVar[Sequence[str]]
    aliases: ClassVar[Mapping[str, str]]

    def __init__(self, dependencies: FeedDependencies) -> None:
        self._digests = dependencies.digests
        self._finder = Finder(dependencies.digests)
        self._batch_size = _FIRST
        self._done = False

    def read_fact(self, line: int, row: Any) -> FigureFact:
        raise NotImplementedError

    def detect(self, company: int, figures: Sequence[Figure], today: date) -> list[Detected]:
        raise NotImplementedError

    def apply(self, commit: Commit, facts: Sequence[FigureFact]) -> CommitResult:
        """Write figures; of several rows of one company and day the last one counts."""
        facts, rejects = commit.reject_future(facts)
        known: list[tuple[FigureFact, FigureKey]] = []
        companies = commit.find_companies(self._finder, [fact.company for fact in facts])
        for fact, company in zip(facts, companies, strict=True):
            if company is None:
                rejects.append(Reject(fact.line, UNKNOWN_COMPANY))
            else:
                known.append((fact, FigureKey(company, fact.day)))
        return CommitResult(self._write(commit, known), rejects)

    def _write(self, commit: Commit, known: Sequence[tuple[FigureFact, FigureKey]]) -> list[RowResult]:
        last = {key: fact for fact, key in known}
        stored = figure_store.stored_amounts(commit.session, self.kind, commit.source, last)
        changed = {key: fact.amount for key, fact in last.items() if stored.get(key) != fact.amount}
        figure_store.store_amounts(commit.session, self.kind, commit.source, changed)
        return [_outcome(fact, last[key] is fact and key in changed, key in stored) for fact, key in known]

    def steps(self) -> Iterator[FinalStep]:
        self._done = False
        while not self._done:
            yield self._evaluate

    def _evaluate(self, commit: Commit) -> int:
        """Evaluate some of the companies with changed figures, as many as a short transaction allows."""
        began, session = time.monotonic(), commit.session
        companies = figure_store.pending_companies(session, self.kind, commit.source, self._batch_size)
        self._done = len(companies) < self._batch_size
        today = date.fromisoformat(commit.day)
        figures = figure_store.figures_of(session, self.kind, commit.source, companies)
        detected = [one for company in figures for one in self.detect(company, figures[company], today)]
        signals = commit.store_signals(self._digests, detected)
        figure_store.clear_pending(session, self.kind, commit.source, companies)
        fitting = len(companies) * LOCK_SECONDS / max(time.monotonic() - began, 1e-6)
        self._batch_size = int(min(max(fitting, 1), self._batch_size * 2, _MOST))
        return signals


def _outcome(fact: FigureFact, written: bool, existed: bool) -> RowResult:
    return RowResult(
        fact.line, created=written and not existed, updated=written and existed, unchanged=not written
    )


def figure_value(name: str, value: Scalar) -> float:
    """Return a number of 0 or more. Raise Unusable."""
    found = number(value)
    if found is None:
        raise Unusable(f"{name}: {'missing' if value in (None, '') else 'not a number'}")
    if found < 0:
        raise Unusable(f"{name}: negative")
    return found


def figure_day(name: str, value: str | None) -> str:
    """Return the day, or the first day of the month, of a row. Raise Unusable."""
    given = line(value)
    if not given:
        raise Unusable(f"{name}: missing")
    found = day(given) if len(given) > len("2025") else None
    if found is None:
        raise Unusable(f"{name}: not a {name}")
    if found < _FIRST_DAY:
        raise Unusable(f"{name}: before 1900")
    return found

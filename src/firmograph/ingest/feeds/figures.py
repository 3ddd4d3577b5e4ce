"""Feeds of dated figures: one number of a company and day, or month.

Rows are only written; once all are in, every company whose figures changed is looked at with all that is held of it.
So neither the order of the rows nor the commits between them show in the signals, and a company that an interrupted
import left unlooked at is looked at by the next one.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, ClassVar, NamedTuple

import msgspec

from firmograph.directory.records import CompanyRef
from firmograph.ingest.commits import LOCK_SECONDS
from firmograph.ingest.feeds.companies import UNKNOWN_COMPANY
from firmograph.ingest.feeds.feed import Commit, CommitResult, FeedDependencies, FinalStep
from firmograph.ingest.merging.company_linking import Finder
from firmograph.ingest.reading.inputs import Loose
from firmograph.ingest.records.preparation import Unusable
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.records.values import day, line, number
from firmograph.ingest.summary import Outcome
from firmograph.signals import figure_store
from firmograph.signals.events import Detected
from firmograph.signals.figure_store import Amount, At
from firmograph.signals.figures import Figure

_FIRST_DAY = "1900-01-01"
_FIRST, _MOST = 20, 2000
"""Companies that are looked at in one commit: as many as took `LOCK_SECONDS` before."""

Detect = Callable[[int, Sequence[Figure], date], list[Detected]]
"""The signals that all figures of a company show, on the day of an import."""


class FigureFact(NamedTuple):
    """A figure as a row tells it."""

    line: int
    company: CompanyRef
    day: str
    amount: Amount


class FiguresFeed:
    """What all feeds of figures have in common; each says how its rows are read and what they show."""

    kind: ClassVar[str]
    row: ClassVar[type[msgspec.Struct]]
    needs: ClassVar[Sequence[str]]
    aliases: ClassVar[Mapping[str, str]]

    def __init__(self, parts: FeedDependencies) -> None:
        self._digests = parts.digests
        self._finder = Finder(parts.digests)
        self._some = _FIRST
        self._done = False

    def read_fact(self, line: int, row: Any) -> FigureFact:
        raise NotImplementedError

    def detect(self, company: int, figures: Sequence[Figure], today: date) -> list[Detected]:
        raise NotImplementedError

    def apply(self, commit: Commit, facts: Sequence[FigureFact]) -> CommitResult:
        """Of several rows of one company and day the last one counts."""
        facts, rejects = commit.reject_future(facts)
        told: list[tuple[FigureFact, At]] = []
        companies = commit.find_companies(self._finder, [fact.company for fact in facts])
        for fact, company in zip(facts, companies, strict=True):
            if company is None:
                rejects.append(Reject(fact.line, UNKNOWN_COMPANY))
            else:
                told.append((fact, At(company, fact.day)))
        return CommitResult(self._write(commit, told), rejects)

    def _write(self, commit: Commit, told: Sequence[tuple[FigureFact, At]]) -> list[Outcome]:
        last = {place: fact for fact, place in told}
        held = figure_store.held(commit.session, self.kind, commit.source, last)
        changed = {place: fact.amount for place, fact in last.items() if held.get(place) != fact.amount}
        figure_store.put(commit.session, self.kind, commit.source, changed)
        return [
            _outcome(fact, last[place] is fact and place in changed, place in held) for fact, place in told
        ]

    def steps(self) -> Iterator[FinalStep]:
        self._done = False
        while not self._done:
            yield self._judge

    def _judge(self, commit: Commit) -> int:
        """Look at some of the companies whose figures changed: as many as a short transaction allows for."""
        began, session = time.monotonic(), commit.session
        companies = figure_store.to_judge(session, self.kind, commit.source, self._some)
        self._done = len(companies) < self._some
        today = date.fromisoformat(commit.day)
        held = figure_store.figures_of(session, self.kind, commit.source, companies)
        detected = [one for company in held for one in self.detect(company, held[company], today)]
        signals = commit.store_signals(self._digests, detected)
        figure_store.judged(session, self.kind, commit.source, companies)
        fitting = len(companies) * LOCK_SECONDS / max(time.monotonic() - began, 1e-6)
        self._some = int(min(max(fitting, 1), self._some * 2, _MOST))
        return signals


def _outcome(fact: FigureFact, written: bool, held: bool) -> Outcome:
    return Outcome(fact.line, created=written and not held, updated=written and held, unchanged=not written)


def figure_value(name: str, value: Loose) -> float:
    """A number that is not negative. Raises Unusable."""
    found = number(value)
    if found is None:
        raise Unusable(f"{name}: {'missing' if value in (None, '') else 'not a number'}")
    if found < 0:
        raise Unusable(f"{name}: negative")
    return found


def figure_day(name: str, value: str | None) -> str:
    """A day, or the first of a month, that a row tells. Raises Unusable."""
    given = line(value)
    if not given:
        raise Unusable(f"{name}: missing")
    found = day(given) if len(given) > len("2025") else None
    if found is None:
        raise Unusable(f"{name}: not a {name}")
    if found < _FIRST_DAY:
        raise Unusable(f"{name}: before 1900")
    return found

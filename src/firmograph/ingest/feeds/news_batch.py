"""The articles of one commit, written: each signal once, and none that names a suppressed person."""

from collections.abc import Sequence
from typing import NamedTuple

from firmograph.directory.identity import Digests
from firmograph.ingest.feeds.feed import Commit, CommitResult
from firmograph.ingest.feeds.news_people import NewsPeople
from firmograph.ingest.feeds.possible_people import CompanyForms
from firmograph.ingest.summary import Outcome
from firmograph.signals import store
from firmograph.signals.events import Detected


class ArticleSignals(NamedTuple):
    """What an article tells."""

    line: int
    signals: Sequence[Detected]
    named: CompanyForms


def write_articles(commit: Commit, digests: Digests, articles: Sequence[ArticleSignals]) -> CommitResult:
    """Where several tell the same signal, the first one that may stays."""
    signals = [_by_identity(digests, each.signals) for each in articles]
    held = store.held(commit.session, {identity for some in signals for identity in some})
    people = NewsPeople(commit.session, digests, [each.named for each in articles])
    new = [
        {identity: people.noted(one, each.named) for identity, one in some.items() if identity not in held}
        for each, some in zip(articles, signals, strict=True)
    ]
    suppressed = people.suppressed(one for some in new for one in some.values())
    detected: dict[bytes, Detected] = {}
    outcomes = []
    for each, some, all_of_it in zip(articles, new, signals, strict=True):
        kept = {identity: one for identity, one in some.items() if suppressed.isdisjoint(one.people)}
        created = not kept.keys() <= detected.keys()
        nothing_left = bool(some) and not kept and len(some) == len(all_of_it)
        detected.update((identity, one) for identity, one in kept.items() if identity not in detected)
        outcomes.append(_outcome(each.line, created, nothing_left))
    stored = commit.store_signals(digests, detected.values())
    unnamed = sum(not each.signals and not each.named for each in articles)
    return CommitResult(outcomes, signals=stored, unnamed=unnamed)


def _outcome(line: int, created: bool, suppressed: bool) -> Outcome:
    return Outcome(line, created=created, suppressed=suppressed, unchanged=not created and not suppressed)


def _by_identity(digests: Digests, signals: Sequence[Detected]) -> dict[bytes, Detected]:
    found: dict[bytes, Detected] = {}
    for one in signals:
        found.setdefault(one.identity(digests), one)
    return found

"""Writing of one commit's articles: each signal once, and none that names a suppressed person.

See docs/reference/signals.md#suppressed-people.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.ingest.feeds.feed import Commit, CommitResult
from firmograph.ingest.feeds.possible_people import MAX_COMPANIES, CompanyForms, PossiblePeople
from firmograph.ingest.summary import RowResult
from firmograph.signals import store
from firmograph.signals.events import Detected, NewsEvent


class ArticleSignals(NamedTuple):
    """The signals of an article, and the companies that it names."""

    line: int
    signals: Sequence[Detected]
    named: CompanyForms


def write_articles(commit: Commit, digests: Digests, articles: Sequence[ArticleSignals]) -> CommitResult:
    """Write new signals; of several articles with one signal the first that names no suppressed person wins.

    Of stored ones only the source is noted.
    """
    signals = [_by_identity(digests, article.signals) for article in articles]
    stored = store.stored_identities(commit.session, {identity for group in signals for identity in group})
    people = _NewsPeople(commit.session, digests, [article.named for article in articles])
    new = [
        {
            identity: people.add_people(signal, article.named)
            for identity, signal in group.items()
            if identity not in stored
        }
        for article, group in zip(articles, signals, strict=True)
    ]
    suppressed = people.suppressed(signal for group in new for signal in group.values())
    detected: dict[bytes, Detected] = {}
    outcomes = []
    for article, group, all_signals in zip(articles, new, signals, strict=True):
        allowed = {
            identity: signal for identity, signal in group.items() if suppressed.isdisjoint(signal.people)
        }
        created = not allowed.keys() <= detected.keys()
        is_suppressed = bool(group) and not allowed and len(group) == len(all_signals)
        detected.update(
            (identity, signal) for identity, signal in allowed.items() if identity not in detected
        )
        outcomes.append(_outcome(article.line, created, is_suppressed))
    repeated = {
        identity: signal for group in signals for identity, signal in group.items() if identity in stored
    }
    count = commit.store_signals(digests, [*detected.values(), *repeated.values()])
    unnamed = sum(not article.signals and not article.named for article in articles)
    return CommitResult(outcomes, signals=count, unnamed=unnamed)


def _outcome(line: int, created: bool, suppressed: bool) -> RowResult:
    return RowResult(line, created=created, suppressed=suppressed, unchanged=not created and not suppressed)


def _by_identity(digests: Digests, signals: Sequence[Detected]) -> dict[bytes, Detected]:
    found: dict[bytes, Detected] = {}
    for signal in signals:
        found.setdefault(signal.identity(digests), signal)
    return found


class _NewsPeople:
    """Possible people in the articles of one commit, loaded with one statement."""

    def __init__(self, session: Session, digests: Digests, articles: Iterable[CompanyForms]) -> None:
        self._people = PossiblePeople(session, digests, {number for named in articles for number in named})

    def add_people(self, signal: Detected, named: CompanyForms) -> Detected:
        """Return the signal with the digests of all possible people in its texts at the article's companies."""
        event = signal.event
        assert isinstance(event, NewsEvent)
        texts = (event.article_title, event.article_highlight, event.event_summary)
        people = self._people.keys(texts, event.article_url, _limit_companies(signal.number, named))
        return msgspec.structs.replace(signal, people=tuple(sorted(people)))

    def suppressed(self, signals: Iterable[Detected]) -> set[bytes]:
        """Return the suppressed digests of signals, with two statements at most."""
        return self._people.suppressed({digest for signal in signals for digest in signal.people})


def _limit_companies(own: int, named: CompanyForms) -> CompanyForms:
    """Return `MAX_COMPANIES` companies of an article, that of the signal first."""
    others = [number for number in named if number != own][: MAX_COMPANIES - 1]
    return {number: named.get(number, ()) for number in (own, *others)}

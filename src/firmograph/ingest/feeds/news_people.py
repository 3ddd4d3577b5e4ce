"""Whom the news of one commit may name, by the keys by which suppression knows people.

See docs/reference/signals.md#suppressed-people.
"""

from collections.abc import Iterable

import msgspec

from firmograph.database.connection import Session
from firmograph.directory.identity import Digests
from firmograph.ingest.feeds.possible_people import MAX_COMPANIES, CompanyForms, PossiblePeople
from firmograph.signals.events import Detected, NewsEvent


class NewsPeople:
    """The people of the articles of one commit; one statement."""

    def __init__(self, session: Session, digests: Digests, articles: Iterable[CompanyForms]) -> None:
        self._people = PossiblePeople(session, digests, {number for named in articles for number in named})

    def noted(self, signal: Detected, named: CompanyForms) -> Detected:
        """The signal with the digests of everyone that its texts may name, at every company of the article."""
        event = signal.event
        assert isinstance(event, NewsEvent)
        texts = (event.article_title, event.article_highlight, event.event_summary)
        people = self._people.keys(texts, event.article_url, _first(signal.number, named))
        return msgspec.structs.replace(signal, people=tuple(sorted(people)))

    def suppressed(self, signals: Iterable[Detected]) -> set[bytes]:
        """Those of the digests of signals that are suppressed; two statements at most."""
        return self._people.suppressed({digest for signal in signals for digest in signal.people})


def _first(own: int, named: CompanyForms) -> CompanyForms:
    """As many companies as count, that of the signal among them."""
    others = [number for number in named if number != own][: MAX_COMPANIES - 1]
    return {number: named.get(number, ()) for number in (own, *others)}

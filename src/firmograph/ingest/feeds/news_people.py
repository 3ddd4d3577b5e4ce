"""Whom the news of one commit may name, by the keys by which suppression knows people (decisions A)."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from firmograph.directory.company_names import company_key
from firmograph.directory.identity import Digests
from firmograph.ingest import store as records
from firmograph.kit.database import Session
from firmograph.signals import store
from firmograph.signals.events import Detected, NewsEvent
from firmograph.signals.news.people import names_in

MAX_COMPANIES = 5
"""Of an article, under which its names are looked for beside the company whose signal it is."""

Named = Mapping[int, Collection[str]]
"""The held companies of an article, by number, and the names and domains by which it names each."""


class _Card(msgspec.Struct):
    name: str = ""
    domain: str = ""


class NewsPeople:
    """The people of the articles of one commit; one statement."""

    def __init__(self, session: Session, digests: Digests, articles: Iterable[Named]) -> None:
        self._session = session
        self._digests = digests
        numbers = {number for named in articles for number in named}
        self._cards = {
            number: msgspec.json.decode(b"{%s}" % card, type=_Card)
            for number, card in store.company_cards(session, numbers)
        }

    def noted(self, signal: Detected, named: Named) -> Detected:
        """The signal with the digests of everyone that its texts may name, at every company of the article."""
        event = signal.event
        assert isinstance(event, NewsEvent)
        texts = (event.article_title, event.article_highlight, event.event_summary)
        companies = self._companies(signal.number, named)
        people = {
            self._digests.contact_name_company(name, company)
            for name in names_in(texts, event.article_url)
            for company in companies
        }
        return msgspec.structs.replace(signal, people=tuple(sorted(people)))

    def suppressed(self, signals: Iterable[Detected]) -> set[bytes]:
        """Those of the digests of signals that are suppressed; two statements at most."""
        if not records.any_suppression(self._session):
            return set()
        people = {digest for signal in signals for digest in signal.people}
        return records.suppressed(self._session, people, strong=False)

    def _companies(self, own: int, named: Named) -> Sequence[str]:
        """Name keys and domains, as the records and as the article have them."""
        others = [number for number in named if number != own][: MAX_COMPANIES - 1]
        forms: dict[str, None] = {}
        for number in (own, *others):
            card = self._cards.get(number, _Card())
            given = (company_key(name) for name in named.get(number, ()))
            forms.update(dict.fromkeys((company_key(card.name), card.domain, *given)))
        return [form for form in forms if form]

"""Feed of news: articles to signals of the seven news types (docs/reference/signals.md#news).

An article's text is read once and not stored: only its title, one sentence, a summary in our own words, its address and
two dates are. A source that knows its events already (filings by item code, funding rounds) gives them in `eventTypes`
and `companies`, which are used unchanged.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import msgspec

from firmograph.directory.names_in_text.spans import Mention
from firmograph.directory.records import CompanyRef
from firmograph.ingest.feeds.feed import Commit, CommitResult, FeedDependencies, FinalStep
from firmograph.ingest.feeds.mentions import parse_mention, resolve_mentions
from firmograph.ingest.feeds.news_batch import ArticleSignals, write_articles
from firmograph.ingest.merging.company_linking import Finder
from firmograph.ingest.reading.inputs import CompanyRefInput, Text, Texts
from firmograph.ingest.records.company_references import read_company_reference
from firmograph.ingest.records.preparation import Unusable
from firmograph.ingest.records.values import day, items, label, url, whole_text
from firmograph.security.record_ids import Entity
from firmograph.signals.events import Detected, NewsEvent
from firmograph.signals.news.rules import Article, ArticleEvent, read_article
from firmograph.signals.news.summary import effective_date, highlight, summarise
from firmograph.signals.types import NEWS_EVENT_TYPES, NEWS_TYPE_OF

MAX_COMPANIES = 50
"""Companies per row; more would be a list, not the subject of an article."""
_EVENT: Final = {event.casefold(): event for event in NEWS_EVENT_TYPES}
_TRACKING: Final = frozenset(
    "gclid fbclid dclid msclkid yclid igshid mc_cid mc_eid _hsenc _hsmi cmpid ocid smid".split()
)
_PORTS: Final = {"http": 80, "https": 443}


class NewsRow(msgspec.Struct, rename="camel", gc=False):
    url: Text = None
    date: Text = None
    title: Text = None
    text: Text = None
    companies: list[CompanyRefInput | str | None] | CompanyRefInput | str | None = None
    """Used instead of companies named in the text."""
    event_types: Texts = None
    """Some of the 26 in any case, used instead of events read from the text."""


class EventEvidence(NamedTuple):
    """An event with the sentence that shows it."""

    event: str
    sentence: str
    in_title: bool
    companies: tuple[Mention, ...]


class NewsFact(NamedTuple):
    line: int
    url: str
    day: str
    title: str
    events: tuple[EventEvidence, ...]
    named: tuple[tuple[str, ...], ...]
    """The possible stored forms of each name in the text, likeliest first; empty where `given` is set."""
    given: tuple[tuple[str, CompanyRef], ...]
    """The companies of the row itself, each with a key."""


class NewsFeed:
    """The feed of articles; each is complete in itself, so there are no final steps."""

    kind = "news"
    row: type[msgspec.Struct] = NewsRow
    needs: Sequence[str] = ("url", "date", "title")
    aliases: Mapping[str, str] = MappingProxyType(
        {
            "link": "url",
            "articleurl": "url",
            "published": "date",
            "publisheddate": "date",
            "headline": "title",
        }
        | {"body": "text", "content": "text", "company": "companies", "event": "eventTypes"}
        | {"events": "eventTypes", "eventtype": "eventTypes"}
    )

    def __init__(self, dependencies: FeedDependencies) -> None:
        self._digests = dependencies.digests
        self._finder = Finder(dependencies.digests)

    def read_fact(self, line: int, row: Any) -> NewsFact:
        return _parse_article(line, row)

    def apply(self, commit: Commit, facts: Sequence[NewsFact]) -> CommitResult:
        facts, rejects = commit.reject_future(facts)
        numbers = self._numbers(commit, facts)
        found = [
            ArticleSignals(fact.line, list(_signals(fact, numbers)), _named(fact, numbers)) for fact in facts
        ]
        return write_articles(commit, self._digests, found)._replace(rejects=rejects)

    def steps(self) -> Iterator[FinalStep]:
        return iter(())

    def _numbers(self, commit: Commit, facts: Sequence[NewsFact]) -> dict[str, int]:
        """Return the record numbers of all companies that the facts name, with one lookup."""
        names = {name for fact in facts for names in fact.named for name in names}
        given = {key: ref for fact in facts for key, ref in fact.given}
        return resolve_mentions(commit, self._finder, names, given)


def _parse_article(at: int, row: NewsRow) -> NewsFact:
    """Return the fact of a row. Raise Unusable for a missing address or day, or an unknown event."""
    address = canonical_url(row.url)
    published = day(row.date)
    if address is None:
        raise Unusable("url: not the address of a page")
    if published is None:
        raise Unusable("date: not a day")
    title, body = label(row.title) or "", whole_text(row.text) or ""
    if not title and not body:
        raise Unusable("no title and no text")
    given = tuple((_key(ref), ref) for ref in _given(row.companies))
    article = read_article(title, body, published)
    stated = items(row.event_types)
    events = _stated_events(stated, title, article) if stated else tuple(map(_evidence, article.events))
    named = () if given else tuple(mention.readings for mention in article.mentions)
    return NewsFact(at, address, published, title, events, named, given)


def _stated_events(events: Sequence[str], title: str, article: Article) -> tuple[EventEvidence, ...]:
    """Return the events of the row itself, shown by its title or, without one, by its first sentence."""
    unknown = [event for event in events if event.casefold() not in _EVENT]
    if unknown:
        raise Unusable("eventTypes: not all of them are among the 26")
    first = article.sentences[0] if article.sentences else title
    mentions = article.opening
    return tuple(
        EventEvidence(_EVENT[event.casefold()], first, True, mentions) for event in dict.fromkeys(events)
    )


def _evidence(event: ArticleEvent) -> EventEvidence:
    return EventEvidence(event.event, event.sentence.text, event.sentence.title, event.companies)


def _signals(fact: NewsFact, numbers: Mapping[str, int]) -> Iterator[Detected]:
    """Yield a signal for each event and stored company; sentences of the text come before the title."""
    for evidence in sorted(fact.events, key=lambda one: one.in_title):
        names = [ref.name or ref.domain or "" for _, ref in fact.given] or [
            one.text for one in evidence.companies
        ]
        keys: list[tuple[str, ...]] = [(key,) for key, _ in fact.given] or [
            one.readings for one in evidence.companies
        ]
        for number in dict.fromkeys(filter(None, (_find_number(readings, numbers) for readings in keys))):
            yield _signal(fact, evidence, number, names)


def _signal(fact: NewsFact, evidence: EventEvidence, number: int, names: Sequence[str]) -> Detected:
    kind = evidence.event.lower()
    event = NewsEvent(
        event_type=kind,
        event_summary=summarise(evidence.event, names),
        article_published_date=fact.day,
        article_title=fact.title,
        article_highlight=highlight(evidence.sentence),
        event_effective_date=effective_date(evidence.sentence, fact.day),
        article_url=fact.url,
    )
    key = f"{fact.url}\0{kind}"
    return Detected(Entity.COMPANY, number, NEWS_TYPE_OF[evidence.event], key, fact.day, event, kind)


def _named(fact: NewsFact, numbers: Mapping[str, int]) -> dict[int, set[str]]:
    """Return the stored companies that an article names, and its names for them."""
    named: dict[int, set[str]] = {}
    for key, ref in fact.given:
        if key in numbers:
            named.setdefault(numbers[key], set()).update(form for form in (ref.name, ref.domain) if form)
    for readings in () if fact.given else fact.named:
        if (number := _find_number(readings, numbers)) is not None:
            named.setdefault(number, set()).update(reading for reading in readings if reading in numbers)
    return named


def _find_number(readings: Sequence[str], numbers: Mapping[str, int]) -> int | None:
    return next((numbers[reading] for reading in readings if reading in numbers), None)


def _given(value: list[CompanyRefInput | str | None] | CompanyRefInput | str | None) -> list[CompanyRef]:
    """Return the companies of a row: a list, one, or one text with `;`, `|` or line ends between them."""
    several: Sequence[CompanyRefInput | str | None]
    several = (
        items(value, commas=False)
        if isinstance(value, str)
        else value
        if isinstance(value, list)
        else [value]
    )
    refs = (
        parse_mention(one) if isinstance(one, str) else read_company_reference(one)
        for one in several[:MAX_COMPANIES]
    )
    return [ref for ref in refs if ref is not None]


def _key(ref: CompanyRef) -> str:
    """Return the key of a given company; its NUL keeps it apart from names in texts."""
    return f"\0{ref.name or ''}\0{ref.domain or ''}\0{ref.linkedin_url or ''}"


def canonical_url(value: str | None) -> str | None:
    """Return an address in the form shared by all copies of an article, None if it is no web address.

    Scheme and host in lower case, no default port, no fragment, no tracking parameters, no final slash.
    """
    given = url(value)
    if given is None:
        return None
    try:
        parts = urlsplit(given)
        port = parts.port
    except ValueError:
        return None
    scheme, host = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    if port and port != _PORTS.get(scheme):
        host = f"{host}:{port}"
    query = "&".join(part for part in parts.query.split("&") if part and not _is_tracking(part))
    return urlunsplit((scheme, host, parts.path.rstrip("/"), query, ""))


def _is_tracking(part: str) -> bool:
    name = part.partition("=")[0].lower()
    return name.startswith("utm_") or name in _TRACKING

"""Signals of an import of articles with many stored companies, compared with the labels of the articles."""

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import msgspec

from evaluation.news.company_database import CompanyDatabase
from evaluation.news.gold import Item
from firmograph.database.connection import RECORDS
from firmograph.ingest.feeds.feed import Commit, FeedDependencies
from firmograph.ingest.feeds.news import NewsFeed, NewsRow, canonical_url
from firmograph.signals.events import NewsEvent
from firmograph.signals.store import signals_after
from firmograph.signals.thresholds import load_thresholds


class DetectedSignal(NamedTuple):
    article: str
    event: str
    right: bool


def detect_signals(companies: CompanyDatabase, items: Sequence[Item]) -> list[DetectedSignal]:
    """Return every signal, and whether the labels of its article have or allow its event."""
    feed = NewsFeed(FeedDependencies(companies.digests, load_thresholds()))
    rows = (NewsRow(item.key, item.day, item.title, item.text) for item in items)
    facts = [feed.read_fact(line, row) for line, row in zip(count(1), rows, strict=False)]
    with companies.database.write(RECORDS) as session:
        feed.apply(Commit(session, 1, "news", "2026-01-01", 0.0), facts)
    labels = {canonical_url(item.key): {one.lower() for one in item.events | item.either} for item in items}
    signals = []
    for signal in signals_after(companies.database.session(), 0, 1_000_000):
        event = msgspec.json.decode(signal.event, type=NewsEvent)
        signals.append(
            DetectedSignal(event.article_url, event.event_type, event.event_type in labels[event.article_url])
        )
    return signals

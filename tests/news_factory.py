"""News for tests: rows, their import, and the resulting signals."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from firmograph.database.connection import Database
from firmograph.ingest.feeds.feed import FeedDependencies
from firmograph.ingest.feeds.news import NewsFeed
from firmograph.ingest.feeds.service import import_feed
from firmograph.ingest.summary import FeedSummary
from firmograph.kit.clock import SetClock
from firmograph.signals.thresholds import load_thresholds
from record_factory import DIGESTS


def article(number: int, title: str, text: str = "", **fields: Any) -> dict[str, Any]:
    url = f"https://news.example.com/{number}"
    return {"url": url, "date": "2025-06-02", "title": title, "text": text, **fields}


def import_news(database: Database, folder: Path, rows: Sequence[Any], source: str = "press") -> FeedSummary:
    """Import rows from a file, as the command does."""
    path = folder / "news.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    feed = NewsFeed(FeedDependencies(DIGESTS, load_thresholds()))
    hooks = (lambda file, reject: None, lambda progress: None)
    summary = import_feed(database, SetClock(), feed, [str(path)], source, *hooks)
    path.unlink()
    return summary


def stored_news(database: Database) -> list[tuple[int, str]]:
    """Return the company and the title of each signal of news, sorted."""
    rows = (
        database.session().raw.execute("SELECT entity_id, event FROM signals WHERE detail <> ''").fetchall()
    )
    return sorted((row[0], msgspec.json.decode(bytes(row[1]))["articleTitle"]) for row in rows)

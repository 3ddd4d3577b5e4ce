"""Posts for tests: rows, their import, and the resulting signals."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

import database_fixtures
from firmograph.database.connection import Database
from firmograph.ingest.feeds.feed import FeedDependencies
from firmograph.ingest.feeds.feed_rows import check_file
from firmograph.ingest.feeds.posts import PostsFeed
from firmograph.ingest.feeds.service import import_feed
from firmograph.ingest.records.prepared_rows import Reject
from firmograph.ingest.summary import FeedSummary
from firmograph.kit.clock import Clock, SetClock
from firmograph.signals.thresholds import load_thresholds
from record_factory import DIGESTS

JANE = "https://www.linkedin.com/in/jane-doe"
SAM = "https://www.linkedin.com/in/sam-roe"
ACME = "https://www.linkedin.com/company/acme"


def post(number: int = 1, **fields: Any) -> dict[str, Any]:
    """Return a row that is a signal of Acme, said by its author Jane Doe."""
    return {
        "url": f"https://www.linkedin.com/feed/update/urn:li:activity:{7_000_000_000_000_000 + number}",
        "date": "2025-06-01",
        "author": {"fullName": "Jane Doe", "linkedinUrl": JANE, "company": "Acme"},
        "text": "We moved our data warehouse to the public cloud.",
        **fields,
    }


class Imported(msgspec.Struct):
    summary: FeedSummary
    rejects: list[Reject]


def import_posts(
    database: Database,
    folder: Path,
    rows: Sequence[Any],
    clock: Clock | None = None,
    topics_file: str = "",
    source: str = "test",
) -> Imported:
    """Import rows from a file, as the command does."""
    path = folder / "posts.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    imported = import_file(database, path, clock, topics_file, source)
    path.unlink()
    return imported


def import_file(
    database: Database,
    path: Path,
    clock: Clock | None = None,
    topics_file: str = "",
    source: str = "test",
) -> Imported:
    rejects: list[Reject] = []
    feed = PostsFeed(FeedDependencies(DIGESTS, load_thresholds(), topics_file))
    check_file(path, feed)
    summary = import_feed(
        database,
        clock or SetClock(),
        feed,
        [str(path)],
        source,
        lambda file, reject: rejects.append(reject),
        lambda progress: None,
    )
    return Imported(summary, rejects)


def stored_posts(database: Database) -> list[tuple[int, dict[str, Any]]]:
    """Return the company and the event of each post's signal, in the order of detection."""
    rows = database.session().raw.execute("SELECT entity_id, event FROM signals WHERE type = 11 ORDER BY id")
    return [(row[0], msgspec.json.decode(bytes(row[1]))) for row in rows.fetchall()]


def count_orphans(database: Database) -> int:
    """Return how many notes of people belong to deleted signals."""
    statement = "SELECT count(*) FROM signal_people WHERE signal_id NOT IN (SELECT id FROM signals)"
    return int(database.session().raw.execute(statement).fetchone()[0])


def database_contains(database: Database, text: str) -> bool:
    """Return whether a text occurs anywhere in the database, ignoring case."""
    return text.lower().encode() in database_fixtures.content(database).lower()

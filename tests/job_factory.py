"""Job postings for tests: files of them, and the result of their import."""

import json
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

from firmograph.database.connection import Database
from firmograph.ingest.feeds.feed import FeedDependencies
from firmograph.ingest.feeds.jobs import JobsFeed
from firmograph.ingest.feeds.service import FeedImporter, import_feed
from firmograph.ingest.summary import FeedSummary
from firmograph.kit.clock import SetClock
from firmograph.signals.thresholds import load_thresholds
from record_factory import DIGESTS

MONDAY = date(2025, 1, 6)
"""Of week 1 of tests."""


def on(week: int, day: int = 0) -> str:
    """Return a day of a week: 0 its Monday, 6 its Sunday."""
    return (MONDAY + timedelta(weeks=week - 1, days=day)).isoformat()


def job(company: str, number: int | str, opened: str, **fields: str | None) -> dict[str, object]:
    row = {"company": company, "postingId": f"{number}", "title": "Clerk", "openDate": opened}
    return {**row, **fields}


def weekly(
    company: str, counts: Sequence[int], first_week: int = 1, prefix: str = "", **fields: str
) -> list[dict[str, object]]:
    """Return `count` postings in each of some consecutive weeks."""
    return [
        job(company, f"{prefix}{week}-{number}", on(week, number % 5), **fields)
        for week, count in enumerate(counts, first_week)
        for number in range(count)
    ]


def written(folder: Path, rows: Sequence[dict[str, object]], name: str = "jobs.jsonl") -> str:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def jobs_feed(as_of: str | None = None, *, snapshot: bool = False) -> JobsFeed:
    return JobsFeed(FeedDependencies(DIGESTS, load_thresholds(), as_of=as_of, snapshot=snapshot))


def import_jobs(
    database: Database,
    paths: str | Sequence[str],
    *,
    source: str = "board",
    as_of: str | None = None,
    snapshot: bool = False,
) -> FeedSummary:
    return import_feed(
        database,
        SetClock(),
        jobs_feed(as_of, snapshot=snapshot),
        [paths] if isinstance(paths, str) else paths,
        source,
        lambda file, reject: None,
        lambda progress: None,
    )


def importer(database: Database, feed: JobsFeed, source: str = "board") -> FeedImporter:
    return FeedImporter(database, SetClock(), feed, source)


def stored_surges(database: Database) -> list[tuple[int, int, str, str, dict[str, object]]]:
    """Return company, number of the type, day, detail and event of every signal."""
    rows = database.session().raw.execute(
        "SELECT entity_id, type, day, detail, event FROM signals ORDER BY entity_id, type, day, detail"
    )
    return [(*row[:4], json.loads(bytes(row[4]))) for row in rows]


def everything(database: Database) -> list[list[tuple[object, ...]]]:
    """Return what an import of postings leaves in the database, except detection order and change sequence."""
    statements = (
        "SELECT * FROM job_postings ORDER BY company_id, source, posting_id",
        "SELECT * FROM job_weeks ORDER BY source, week",
        "SELECT * FROM signal_feeds ORDER BY kind, source",
        "SELECT identity, day, detail, event FROM signals ORDER BY identity",
        "SELECT id, card, preview, profile, premium, extras, tokens FROM companies ORDER BY id",
        "SELECT company_id, source, source_id, version, day, row, history FROM company_rows "
        "ORDER BY company_id, source, source_id",
    )
    return [[tuple(row) for row in database.session().raw.execute(text)] for text in statements]

"""Surges in real postings: a feed with gaps in its coverage, and a snapshot of one day."""

import csv
import gzip
import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from firmograph.directory.records import Company
from firmograph.signals.hiring.detector import week_end
from firmograph.signals.types import NUMBER_OF
from job_factory import import_jobs, stored_surges, written
from record_factory import load_companies
from stored_records import stored_companies

pytestmark = pytest.mark.any_database

FEDERAL = Path(__file__).parents[3] / "demo" / "signals" / "jobs.jsonl.gz"
NEW_YORK = Path(__file__).parent / "data" / "nyc_job_postings_2019.csv.gz"

GAP = ("2025-01-12", "2025-01-19", "2025-01-26")
"""The weeks of which the federal feed has nothing of any employer."""
BATCH = "Ames Research Center"


def hold(database, names):
    load_companies(
        database, "list", [Company(name=n, domain=n) if "." in n else Company(name=n) for n in sorted(names)]
    )


@cache
def federal():
    with gzip.open(FEDERAL, "rt") as file:
        return [json.loads(line) for line in file]


@pytest.fixture
def federal_bodies(database):
    hold(database, {row["company"] for row in federal()})
    return database


def test_a_gap_in_a_real_feed_shows_no_surge(federal_bodies, tmp_path):
    nothing = written(tmp_path, [])
    import_jobs(federal_bodies, str(FEDERAL), as_of="2025-01-05")
    before = stored_surges(federal_bodies)
    for day in GAP:
        import_jobs(federal_bodies, nothing, as_of=day)
    assert stored_surges(federal_bodies) == before
    import_jobs(federal_bodies, str(FEDERAL), as_of="2025-02-02")
    covered = {row[0] for row in federal_bodies.session().raw.execute("SELECT week FROM job_weeks")}
    assert covered.isdisjoint(GAP)
    # the one employer that posted in the first week after the gap: 17 at once on February 1
    ames = next(n for n, one in stored_companies(federal_bodies).items() if one.name == BATCH)
    assert {row[0] for row in stored_surges(federal_bodies) if row[2] > "2025-01-05"} == {ames}


def test_a_surge_of_a_real_feed_agrees_with_its_own_rows(federal_bodies):
    import_jobs(federal_bodies, str(FEDERAL), as_of="2024-12-22")
    number = next(n for n, record in stored_companies(federal_bodies).items() if record.domain == "gsa.gov")
    expected = (number, NUMBER_OF["surgeInHiring"], "2024-12-22")
    (event,) = [row[4] for row in stored_surges(federal_bodies) if row[:3] == expected]
    covered = sorted({week_end(row["openDate"]) for row in federal()})
    own = Counter(week_end(row["openDate"]) for row in federal() if row["company"] == "gsa.gov")
    history = [own[week] for week in covered if week < "2024-12-22"][-26:]
    assert event["newJobsPostedLastWeek"] == own["2024-12-22"]
    assert event["historicalAvg"] == round(sum(history) / 26, 2)


def test_a_real_snapshot_shows_no_surge_though_most_of_it_is_new(database, tmp_path):
    with gzip.open(NEW_YORK, "rt") as file:
        rows = list(csv.DictReader(file))
    hold(database, {row["company"] for row in rows})
    assert import_jobs(database, str(NEW_YORK), snapshot=True).signals == 0
    assert sum(record.open_jobs.total for record in stored_companies(database).values()) > 500
    # without snapshots, the file would be read as all postings ever published
    assert import_jobs(database, written(tmp_path, rows), source="history").signals > 0

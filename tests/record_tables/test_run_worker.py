"""Runs as an installation does them: by `firmograph worker --once`, with metrics."""

import asyncio

import msgspec
import pytest
from prometheus_client import generate_latest
from run_fixtures import Runs, insert_people

from command_fixtures import InProcess
from firmograph.api.metrics import Metrics
from firmograph.bootstrap.background import build_background
from firmograph.record_tables.types import Counters
from installation_factory import installation_of
from record_factory import KEYRING


@pytest.fixture
def book(world, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    insert_people(world.database, range(1, 201))
    return Runs(world).book(credits=1_000).add(*range(1, 201))


def run_worker(installation):
    """Return the run worker of an installation."""
    (work,) = [one for one in build_background(installation, print).work if one.name == "tables"]
    return work.worker


def shown(installation):
    """Return the lines of the metrics of tables."""
    page = generate_latest(installation.get(Metrics).registry).decode()
    return {line for line in page.splitlines() if line.startswith("firmograph_table_")}


def test_a_worker_with_once_does_the_due_runs(world, book, tmp_path):
    book.begin()
    keys = msgspec.json.encode(KEYRING).decode()
    done = InProcess(tmp_path, world.url)("worker", "--once", FIRMOGRAPH_KEYS=keys)
    assert done.returncode == 0
    assert "Parts of table runs done: 1\n" in done.stderr
    assert book.counters() == Counters(success=134, no_data=66)
    book.check()


def test_the_worker_of_an_installation_fills_cells_with_what_records_hold(world, book):
    book.begin()
    asyncio.run(run_worker(installation_of(world.database, world.clock)).run_until_idle())
    assert book.check()[4] == ("success", b'"p4.1@example.com"', None)


def test_metrics_show_cells_turns_and_open_runs(world, book):
    book.begin("specific", [1, 2, 3])
    world.clock.advance(5)
    installation = installation_of(world.database, world.clock)
    worker = run_worker(installation)
    asyncio.run(worker.run_until_idle())
    lines = shown(installation)
    assert {
        'firmograph_table_cells_total{status="success"} 2.0',
        'firmograph_table_cells_total{status="no_data"} 1.0',
        'firmograph_table_run_turns_total{outcome="done"} 1.0',
        "firmograph_table_run_seconds_sum 5.0",
        "firmograph_table_runs_open 1.0",
        "firmograph_table_runs_oldest_seconds 5.0",
        "firmograph_table_runs_in_flight 0.0",
    } <= lines

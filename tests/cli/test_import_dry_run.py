"""`firmograph import --dry-run`: the result of an import without its changes."""

import json
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa

import database_fixtures
from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.cli import dry_run
from firmograph.database.connection import RECORDS
from firmograph.database.schema import HEAD
from firmograph.kit.clock import SystemClock
from firmograph.kit.errors import Busy, Refused
from firmograph.security.record_ids import Entity
from firmograph.signals.tables import signals
from firmograph.signals.types import NAME_OF
from firmograph.webhooks.deliveries.fan_out import FanOut
from import_fixtures import KINDS, SAMPLES, Prepared, prepare, run, subscribe, written
from record_factory import DIGESTS

_types = sa.select(signals.c.type)
_SUMMARY = ("read", "created", "updated", "unchanged", "rejected", "suppressed", "conflicts", "rejectsFile")
_FORECAST = ("dryRun", "signalsByType", "deliveries", "credits", "accounts")


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    yield from prepare(tmp_path, monkeypatch)


def account(prepared: Prepared, name: str, credits: int) -> int:
    return Accounts(prepared.database, load_plans(), SystemClock()).create(name, "unlimited", credits).id


def files_of(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, except those of processes reading an embedded database."""
    files = [
        path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".db-wal", ".db-shm")
    ]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def forecast(prepared: Prepared, kind: str, *words: object) -> dict[str, object]:
    done = prepared.run(kind, prepared.files[kind], "--dry-run", "--json", *words)
    assert done.exit_code == 0, done.exception
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_a_dry_run_changes_nothing_and_predicts_the_result_of_the_import(prepared, tmp_path, kind):
    watching = account(prepared, "Watching", 1000)
    for number in range(1, 8):
        subscribe(prepared.database, watching, Entity.COMPANY, number)
    subscribe(prepared.database, watching, Entity.CONTACT, 1)
    before = database_fixtures.content(prepared.database), files_of(tmp_path)
    summary = forecast(prepared, kind)
    assert (database_fixtures.content(prepared.database), files_of(tmp_path)) == before

    real = json.loads(prepared.run(kind, prepared.files[kind], "--json").stdout)
    # a sequence of PostgreSQL keeps the number that the rehearsal drew
    assert real.pop("import") in (3, 4)
    assert {name: value for name, value in summary.items() if name not in _FORECAST} == real
    assert tuple(real)[: len(_SUMMARY)] == _SUMMARY
    with prepared.database.read() as session:
        assert summary["signalsByType"] == Counter(NAME_OF[row[0]] for row in session.all(_types))
    fan_out = FanOut(prepared.database, SystemClock(), load_plans(), DIGESTS, 100_000)
    while fan_out.step():
        pass
    with prepared.database.read() as session:
        assert summary["deliveries"] == session.one(sa.text("SELECT count(*) FROM deliveries"))[0]
    assert bool(summary["deliveries"]) == (kind != "companies")


def test_the_cost_of_deliveries_is_shown_by_account(prepared):
    rich, poor = account(prepared, "Rich", 100), account(prepared, "Poor", 1)
    for each in (rich, poor):
        subscribe(prepared.database, each, Entity.COMPANY, 1)
        subscribe(prepared.database, each, Entity.COMPANY, 2)
    summary = forecast(prepared, "headcounts")
    assert summary["accounts"] == [
        {"account": "Poor", "deliveries": 2, "credits": 2, "remaining": 1, "missing": 1},
        {"account": "Rich", "deliveries": 2, "credits": 2, "remaining": 100, "missing": 0},
    ]
    assert (summary["dryRun"], summary["deliveries"], summary["credits"]) == (True, 4, 4)
    output = prepared.run("headcounts", prepared.files["headcounts"], "--dry-run").stdout
    assert "This was a dry run: nothing was changed" in output
    assert "Signals that would be detected: 2\nheadcountDecrease1m\t1\n" in output
    assert "Deliveries that they would cause: 4, for 4 credits" in output
    assert "  Poor: 2 deliveries, 2 of 1 credits, 1 missing" in output
    assert "  Rich: 2 deliveries, 2 of 100 credits\n" in output


def test_a_dry_run_with_no_deliver_predicts_no_deliveries(prepared):
    subscribe(prepared.database, account(prepared, "Watching", 100), Entity.COMPANY, 1)
    assert forecast(prepared, "headcounts")["deliveries"] == 1
    summary = forecast(prepared, "headcounts", "--no-deliver")
    assert (sum(summary["signalsByType"].values()), summary["deliveries"]) == (2, 0)


def test_rejects_are_written_only_on_request(prepared, tmp_path):
    bad = written(
        tmp_path / "bad.jsonl", {"fullName": "Jane Roe", "emails": ["jane@acme.example"]}, {"nothing": "here"}
    )
    earlier = tmp_path / "bad.jsonl.rejects.jsonl"
    earlier.write_text("of the last import\n")
    summary = json.loads(prepared.run("contacts", bad, "--dry-run", "--json").stdout)
    assert (summary["rejected"], summary["rejectsFile"]) == (1, None)
    assert earlier.read_text() == "of the last import\n"
    prepared.run("contacts", bad, "--dry-run", "--rejects", tmp_path / "aside")
    assert json.loads((tmp_path / "aside").read_text())["line"] == 2


def test_a_dry_run_without_usable_rows_fails_like_the_import(prepared, tmp_path):
    bad = written(tmp_path / "bad.jsonl", {"nothing": "here"})
    done = prepared.run("contacts", bad, "--dry-run")
    assert isinstance(done.exception, Refused)
    assert "Nothing was imported" in done.exception.message


@pytest.mark.sqlite
def test_neither_a_database_nor_keys_are_created(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRMOGRAPH_DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    done = run("companies", SAMPLES / "companies.jsonl", "--dry-run", "--json")
    assert json.loads(done.stdout)["created"] == 7
    assert list(tmp_path.iterdir()) == []


@pytest.mark.sqlite
@pytest.mark.parametrize("failure", [KeyboardInterrupt, RuntimeError, signal.SIGTERM])
def test_the_copy_is_private_and_always_removed(prepared, tmp_path, monkeypatch, failure):
    found = []

    def fail(database):
        folder = Path(database.path).parent
        found.extend([folder, folder.stat().st_mode & 0o777])
        found.extend(path.stat().st_mode & 0o777 for path in folder.iterdir())
        if failure is signal.SIGTERM:
            os.kill(os.getpid(), failure)
        raise failure

    monkeypatch.setattr(dry_run, "last_signal", fail)
    prepared.run("companies", prepared.files["companies"], "--dry-run")
    folder, mode, *modes = found
    assert (mode, set(modes)) == (0o700, {0o600})
    assert not folder.exists()
    assert [path for path in tmp_path.iterdir() if "dry-run" in path.name] == []


@pytest.mark.sqlite
def test_a_disk_without_room_for_the_copy_is_refused(prepared, tmp_path, monkeypatch):
    usage = os.statvfs_result((4096, 4096, 10, 1, 1, 10, 1, 1, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda path: usage)
    done = prepared.run("companies", prepared.files["companies"], "--dry-run")
    assert isinstance(done.exception, Refused)
    assert "MB are needed" in done.exception.message
    assert [path for path in tmp_path.iterdir() if "dry-run" in path.name] == []


@pytest.mark.sqlite
def test_other_processes_write_during_a_dry_run(prepared, monkeypatch):
    """The embedded database has one writer, and a dry run does not occupy it."""
    monkeypatch.setattr(dry_run, "last_signal", lambda database: account(prepared, "Second", 0) and 0)
    assert forecast(prepared, "companies")["updated"] == 1
    assert Accounts(prepared.database, load_plans(), SystemClock()).find("Second")


@pytest.mark.postgresql
def test_an_older_schema_is_not_upgraded(prepared, next_release):
    next_release()
    done = prepared.run("companies", prepared.files["companies"], "--dry-run")
    assert isinstance(done.exception, Refused)
    assert f"has schema {HEAD}" in done.exception.message


@pytest.mark.postgresql
def test_other_imports_wait_for_a_dry_run_and_then_continue(prepared, monkeypatch):
    results = []

    def other(database):
        try:
            with prepared.database.write(RECORDS):
                results.append("written")
        except Busy:
            results.append("busy")
        return 0

    with prepared.database.read() as session:
        session.execute(sa.text("SELECT 1"))
    prepared.database.session().execute(sa.text("SET lock_timeout = '50ms'"))
    monkeypatch.setattr(dry_run, "last_signal", other)
    done = prepared.run("companies", prepared.files["companies"], "--dry-run")
    assert "Other imports and suppressions wait" in done.stderr
    other(prepared.database)
    assert results == ["busy", "written"]

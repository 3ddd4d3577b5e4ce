"""`firmograph signals watch`: new signals as imports detect them."""

import json
import queue
import signal
import threading
from pathlib import Path

import pytest
from detected_signals import grown, moved, store_in
from typer.testing import CliRunner

from command_fixtures import InProcess
from firmograph.cli import ingest
from firmograph.cli.signals.watch import Watch
from firmograph.database.connection import Database
from firmograph.database.schema import prepare
from firmograph.kit.clock import SetClock
from firmograph.security.keyring import load_keyring
from server_fixtures import Command
from services.postgresql import PostgreSQL

SAMPLES = Path(__file__).parents[2] / "docs" / "samples"


class Watching:
    """`firmograph signals watch` in a process of its own; reading its lines waits for them."""

    def __init__(self, command, *options):
        self.process = command.start("signals", "watch", *options)
        self._lines = {name: queue.Queue() for name in ("stdout", "stderr")}
        self._readers = [
            threading.Thread(target=self._read, args=(getattr(self.process, name), lines), daemon=True)
            for name, lines in self._lines.items()
        ]
        for reader in self._readers:
            reader.start()
        assert "Watching for signals" in self.message()

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.put(line)

    def line(self):
        return self._lines["stdout"].get(timeout=60)

    def message(self):
        return self._lines["stderr"].get(timeout=60)

    def end(self, number=signal.SIGINT):
        """Interrupt the process and return its exit code, once nothing is left to read."""
        self.process.send_signal(number)
        code = self.process.wait(timeout=60)
        for reader in self._readers:
            reader.join()
        assert [lines.qsize() for lines in self._lines.values()] == [0, 0]
        return code


@pytest.fixture
def watch():
    """Return a function that starts a watch with some options of a command."""
    watches = []

    def start(command, *options):
        watches.append(Watching(command, *options))
        return watches[-1]

    yield start
    for each in watches:
        each.process.kill()
        each.process.wait()


def test_signals_are_printed_as_imports_detect_them(ann_and_companies, command, watch):
    assert (
        CliRunner()
        .invoke(ingest.app, ["companies", str(SAMPLES / "companies.jsonl"), "--rejects", "r"])
        .exit_code
        == 0
    )
    watching = watch(command)
    words = ["headcounts", str(SAMPLES / "headcounts.csv"), "--rejects", "r"]
    assert CliRunner().invoke(ingest.app, words).exit_code == 0
    assert watching.line() == "DATE\tTYPE\tNAME\tCOMPANY\tSIGNAL\n"
    assert sorted(watching.line().rstrip("\n").split("\t")[1:] for _ in range(2)) == [
        ["headcountDecrease1m", "Birch & Sons", "birch.example", "59 → 41 people in 1 month (-31 %)"],
        ["headcountIncrease1m", "Acme", "acme.example", "104 → 118 people in 1 month (+13 %)"],
    ]
    assert watching.end() == 0


def test_a_watch_may_start_with_earlier_signals(store_detected, command, watch):
    store_detected(moved(1, "2025-01-01"), grown(1, "2025-03-01"))
    store_detected(grown(1, "2025-02-01"))
    watching = watch(command, "--json", "--from-start", "--type", "headcountIncrease1m")
    rows = [json.loads(watching.line()) for _ in range(2)]
    assert [row["signalDate"] for row in rows] == ["2025-03-01", "2025-02-01"]
    store_detected(moved(1, "2025-04-01"), grown(2, "2025-04-01"))
    assert json.loads(watching.line())["name"] == "New Ltd"
    assert watching.end(signal.SIGTERM) == 0


@pytest.mark.slow("lost database", "cli.signals", "database")
@pytest.mark.postgresql
def test_a_watch_continues_when_a_lost_database_is_back(tmp_path, monkeypatch, watch):
    monkeypatch.chdir(tmp_path)
    server = PostgreSQL(synchronous_commit="on").start()
    try:
        url = server.create("watched")
        database = Database(url)
        prepare(database)
        command = Command(tmp_path, url)
        companies = tmp_path / "companies.csv"
        companies.write_text("name,domain\nOld Ltd,old.example.com\n")
        assert InProcess(tmp_path, url)("import", "companies", str(companies)).returncode == 0
        keyring = load_keyring(next(tmp_path.glob("*.keys")))
        watching = watch(command, "--json")
        database.close()
        server.stop()
        assert "cannot be reached; waiting" in watching.message()
        server.start()
        assert "is available again" in watching.message()
        store_in(database, keyring, [grown(1, "2025-01-01")])
        assert json.loads(watching.line())["name"] == "Old Ltd"
        assert watching.end() == 0
        database.close()
    finally:
        server.remove()


def test_a_watch_defers_a_future_day_until_it_begins(ann_and_companies, first_keyring, store_detected):
    clock, ended = SetClock(1_740_787_200.0), threading.Event()
    store_detected(grown(1, "2025-03-02"), grown(1, "2025-03-01"), at=clock.seconds())
    watching = Watch(
        ann_and_companies, lambda session, signals: [one.day for one in signals], ended, print, clock
    )
    days_so_far = []
    for days in watching(0, ["headcountIncrease1m"]):
        days_so_far += days
        if not days and clock.seconds() > 1_740_787_200.0:
            ended.set()
        elif not days:
            assert days_so_far == ["2025-03-01"]
            clock.advance(86_400)
    assert days_so_far == ["2025-03-01", "2025-03-02"]


INTERRUPTED = """
import os, signal
from firmograph.cli.signals import watch

class Interrupted(watch.Watch):
    def newest_id(self):
        with self._stopped._cond:
            # a signal handler would run here and wait for the lock that this thread holds
            os.kill(os.getpid(), signal.SIGINT)
            os.getpid()
        assert self._stopped.wait(30)
        return super().newest_id()

watch.Watch = Interrupted
from firmograph.cli.main import run
run()
"""


def test_a_watch_ends_when_interrupted_while_it_holds_the_lock_of_its_event(ann_and_companies, start_program):
    child = start_program(INTERRUPTED, "signals", "watch")
    output, _ = child.communicate(timeout=60)
    assert (output, child.returncode) == ("DATE\tTYPE\tNAME\tCOMPANY\tSIGNAL\n", 0)

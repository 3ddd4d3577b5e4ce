"""Worker processes killed or suspended past their leases in the middle of runs, at random moments.

Every cell ends in a final state, or in that of before where its run was stopped; counters add up; the ledger equals
the cells, and nobody is charged twice.
"""

import random
import signal
import subprocess
import time

import msgspec
import psutil
import pytest
from run_fixtures import TITLE, Runs, has_email, insert_people

from account_fixtures import World
from effort import THOROUGH
from firmograph.kit.clock import SystemClock
from firmograph.record_tables.types import INSUFFICIENT_CREDITS, Counters, RunState
from process_server import LoadedProcess
from record_factory import KEYRING
from server_fixtures import Command, eventually

LEASE = 1.5

SUBJECTS = ("record_tables.runs", "record_tables.cells", "billing", "jobs", "database", "cli.worker")

_SHORT = f"""
import asyncio, signal, sys, threading
from firmograph.database import leases
leases.LEASE_SECONDS = {LEASE}
from firmograph.record_tables.runs import filling, worker
filling.RunFilling.__init__.__kwdefaults__["most_chunks"] = 1
worker.RunTurns.__init__.__kwdefaults__["seconds"] = 0.1
"""

WORKER = f"""{_SHORT}
from firmograph.cli.main import run
run()
"""
"""`firmograph worker` with short leases and turns, and parts of one chunk."""

SUSPENDED = f"""{_SHORT}
from firmograph.bootstrap.background import build_background
from firmograph.cli.context import open_installation
from firmograph.record_tables.columns.kind import ColumnKinds
from firmograph.record_tables.runs.queue import RunQueue
from firmograph.settings import load_settings

load, left = ColumnKinds.load, int(sys.argv[1])

def suspending(self, *given):
    global left
    contents = load(self, *given)
    left -= 1
    if left == 0:
        # to this thread: one to the process may stop it some moments later, in a transaction
        signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
    return contents

ColumnKinds.load = suspending
RunQueue.is_renewed = False
worker.create_run_worker.__kwdefaults__["slots"] = 1
background = build_background(open_installation(load_settings()), print)
(tables,) = [each.worker for each in background.work if each.name == "tables"]
asyncio.run(tables.run_until_idle())
"""
"""The worker of runs alone, in whose other threads no transaction is open, which suspends itself before a part."""

NUMBERS = range(1, 1_501 if THOROUGH else 601)
EMAILS = sum(map(has_email, NUMBERS))
SHORT = len(NUMBERS) * 7 // 30
"""Credits of the second account."""
BETWEEN = len(NUMBERS) * 3 // 5
"""Most cells that are filled between two kills."""


class Fleet:
    """Two accounts with three open runs over the same people, and worker processes."""

    def __init__(self, world, folder):
        self.world = world
        self.runs = Runs(world)
        insert_people(world.database, NUMBERS)
        self.rich = self.runs.book("Rich", credits=100_000).add(*NUMBERS)
        self.poor = self.runs.book("Poor", credits=SHORT).add(*NUMBERS)
        self.title = self.rich.add_column(TITLE)
        self.rich_run, self.poor_run = self.rich.begin(), self.poor.begin()
        self.title_run = self.rich.begin(column_id=self.title)
        self._environment = Command(folder, world.url).environment | {
            "FIRMOGRAPH_KEYS": msgspec.json.encode(KEYRING).decode(),
            "FIRMOGRAPH_LOG_LEVEL": "error",
        }
        self._folder = folder
        self.workers = []

    def start(self, program=WORKER, argument="worker"):
        """Start a worker without waiting until it is ready."""
        worker = LoadedProcess(
            ["-c", program, argument],
            cwd=self._folder,
            env=self._environment,
            stderr=subprocess.DEVNULL,
        )
        self.workers.append(worker)
        return worker

    def kill(self, worker):
        worker.kill()
        worker.wait()
        self.workers.remove(worker)

    def all_runs(self):
        return [
            self.rich.run(self.rich_run),
            self.rich.run(self.title_run),
            self.poor.run(self.poor_run),
        ]

    def filled(self):
        return sum(run.success + run.no_data + run.failed for run in self.all_runs())

    def is_done(self):
        return all(run.state is not RunState.OPEN for run in self.all_runs())

    def wait_until(self, filled):
        """Wait until this many cells are filled, or all runs have ended."""
        eventually(lambda: self.filled() >= filled or self.is_done(), "the runs stand still", 120)

    def finish(self):
        eventually(self.is_done, "the runs do not end", 120)
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            # the one started last may not have come to handle signals
            assert worker.wait(60) in (0, -signal.SIGTERM)
        self.workers.clear()

    def end(self):
        for worker in self.workers:
            worker.kill()
            worker.wait()


@pytest.fixture
def fleet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    world = World(tmp_path)
    world.clock = SystemClock()
    world.reopen()
    fleet = Fleet(world, tmp_path)
    yield fleet
    fleet.end()
    world.end()


def check(fleet):
    """Check cells, counters, runs, ledger and paid units of both accounts after all runs have filled their cells."""
    cells = fleet.rich.check()
    assert all(cells[n].status == ("success" if has_email(n) else "no_data") for n in NUMBERS)
    assert {cell.status for cell in fleet.rich.cells(fleet.title).values()} == {"success"}
    assert fleet.rich.counters(fleet.title) == Counters(success=len(NUMBERS))
    poor = fleet.poor.check()
    with_email = [poor[number] for number in NUMBERS if has_email(number)]
    # credits are spent in the order of rows
    assert [cell.status for cell in with_email] == ["success"] * SHORT + ["failed"] * (EMAILS - SHORT)
    assert {cell.error for cell in with_email[SHORT:]} == {INSUFFICIENT_CREDITS}
    for book, run, paid in ((fleet.rich, fleet.rich_run, EMAILS), (fleet.poor, fleet.poor_run, SHORT)):
        found = book.run(run)
        assert (found.state, found.taken, found.credits) == (RunState.DONE, len(NUMBERS), paid)
        assert found.success + found.no_data + found.failed == len(NUMBERS)
        assert book.charged(run) == (paid, paid)
        assert fleet.world.balance(book.account).used == paid


@pytest.mark.slow("killed worker", *SUBJECTS)
def test_runs_end_complete_and_charged_once_despite_killed_workers(fleet):
    moments = random.Random(13)
    fleet.start()
    for _ in range(4):
        dying = fleet.start()
        fleet.wait_until(fleet.filled() + moments.randrange(BETWEEN))
        fleet.kill(dying if moments.random() < 0.5 else fleet.workers[0])
    fleet.start()
    fleet.finish()
    check(fleet)


@pytest.mark.slow("suspended worker", *SUBJECTS)
@pytest.mark.parametrize("part", [1, 7])
def test_a_worker_suspended_before_a_part_changes_nothing_after_it_resumes(fleet, part):
    suspended = fleet.start(SUSPENDED, str(part))
    eventually(
        lambda: psutil.Process(suspended.pid).status() == psutil.STATUS_STOPPED, "it did not suspend", 120
    )
    assert fleet.filled() <= (part - 1) * 128
    fleet.start()
    eventually(fleet.is_done, "no other worker takes over", 120)
    check(fleet)
    runs, ledger = fleet.all_runs(), fleet.world.entries(fleet.rich.account)
    suspended.send_signal(signal.SIGCONT)
    # it finds its claim lost, and nothing else to do
    assert suspended.wait(120) == 0
    fleet.workers.remove(suspended)
    fleet.finish()
    assert (fleet.all_runs(), fleet.world.entries(fleet.rich.account)) == (runs, ledger)
    check(fleet)


@pytest.mark.slow("suspended worker", *SUBJECTS)
def test_runs_end_complete_and_charged_once_despite_workers_suspended_at_random_moments(fleet):
    moments = random.Random(17)
    workers = [fleet.start() for _ in range(2)]
    for _ in range(3):
        fleet.wait_until(fleet.filled() + moments.randrange(1, BETWEEN))
        suspended = moments.choice(workers)
        suspended.send_signal(signal.SIGSTOP)
        until = time.monotonic() + LEASE * 1.2
        # in the middle of a transaction it may hold the lock for which the others wait
        eventually(lambda until=until: time.monotonic() > until, "time stands still", 10)
        suspended.send_signal(signal.SIGCONT)
    fleet.finish()
    check(fleet)


@pytest.mark.slow("killed worker", *SUBJECTS)
def test_a_run_stopped_under_killed_workers_leaves_the_rest_as_it_was(fleet):
    dying = fleet.start()
    fleet.wait_until(300)
    assert fleet.rich.stop(fleet.rich_run)
    fleet.kill(dying)
    fleet.start()
    fleet.finish()
    stopped = fleet.rich.run(fleet.rich_run)
    cells = fleet.rich.check()
    success = sum(cell.status == "success" for cell in cells.values())
    assert stopped.state is RunState.STOPPED
    assert (stopped.credits, stopped.success) == (success, success)
    assert fleet.rich.charged(fleet.rich_run) == (success, success)
    assert {cell.status for cell in cells.values()} <= {"success", "no_data", "not_run"}
    assert fleet.rich.run(fleet.title_run).state is RunState.DONE

"""Worker processes killed or suspended past their leases during deliveries.

Everything is still received, charged once and recorded once. See docs/reference/webhooks.md#leases.
"""

import os
import random
import signal
import subprocess
import time
from collections import defaultdict
from unittest.mock import patch

import msgspec
import psutil
import pytest
import sqlalchemy as sa
from receivers import Answer, Receiver, acknowledged
from webhook_fixtures import World, news

from firmograph.database import sqlite
from firmograph.kit.clock import SystemClock, iso
from firmograph.kit.errors import Busy
from firmograph.webhooks.types import Status
from process_server import LoadedProcess
from record_factory import KEYRING
from server_fixtures import Command, eventually

WORKER = """
from firmograph.database import leases
leases.LEASE_SECONDS = 1.5
from firmograph.cli.main import run
run()
"""
"""`firmograph worker` with short leases."""

SUBJECTS = ("webhooks.deliveries", "webhooks.sending", "billing", "jobs", "database", "cli.worker")

_IN_TRANSACTION = sa.text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL"
)

COMPANIES = 5
KILLS, ROUNDS = 3, 4
"""Number of killed workers, and of signals of each company before each kill."""


class Unreliable:
    """Answers that are 503 for some new payloads, and wait for a release while `holding`."""

    def __init__(self, seed):
        self.holding = False
        self._random = random.Random(seed)
        self._seen = set()

    def __call__(self, received):
        payload_id = received.json["id"]
        first = payload_id not in self._seen
        self._seen.add(payload_id)
        if first and self._random.random() < 0.05:
            return Answer(503)
        return acknowledged(received)._replace(until_release=self.holding)


class Fleet:
    """A world with worker processes and one receiver of all deliveries."""

    def __init__(self, world, receiver, folder):
        self.world = world
        self.receiver = receiver
        self.accounts = (world.first, world.second)
        for account in self.accounts:
            for number in range(1, COMPANIES + 1):
                world.subscribe(account, number, url=receiver.url)
        self._environment = Command(folder, world.url).environment | {
            "FIRMOGRAPH_KEYS": msgspec.json.encode(KEYRING).decode(),
            "FIRMOGRAPH_ALLOW_INSECURE_WEBHOOKS": "true",
            "FIRMOGRAPH_WEBHOOK_RETRY_SECONDS": "0.02,0.05,0.1",
            "FIRMOGRAPH_LOG_LEVEL": "error",
        }
        self._folder = folder
        self.subscription_count = COMPANIES * len(self.accounts)
        self.workers = []

    def start(self):
        """Start a worker without waiting until it is ready."""
        worker = LoadedProcess(
            ["-c", WORKER, "worker"],
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

    def detect(self, rounds):
        """Detect one signal of each company in each round."""
        today = iso(time.time())[:10]
        for number in rounds:
            self.world.detect(
                *(
                    news(company, day=today, event=f"Partnership {number}")
                    for company in range(1, COMPANIES + 1)
                )
            )

    def wait_until_delivered(self, count):
        """Wait until this many signals are delivered to every subscription."""
        expected = count * self.subscription_count
        eventually(
            lambda: (
                not any(one.queued for one in self.world.subscriptions())
                and len(self.successes()) >= expected
            ),
            "not everything was delivered",
            120,
        )

    def successes(self):
        return [row for row in self.world.audit() if row["status"] == Status.SUCCESS]

    def end(self):
        for worker in self.workers:
            worker.send_signal(signal.SIGCONT)
            worker.terminate()
        for worker in self.workers:
            worker.wait(60)


@pytest.fixture
def fleet(long_lock_timeout, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    world = World(tmp_path, companies=COMPANIES, credits=10_000)
    world.clock = SystemClock()
    with Receiver(Unreliable(seed=7)) as receiver:
        fleet = Fleet(world, receiver, tmp_path)
        yield fleet
        for worker in fleet.workers:
            worker.kill()
            worker.wait()
    world.end()


@pytest.mark.slow("killed worker", *SUBJECTS)
def test_everything_is_received_charged_and_audited_once_despite_killed_workers(fleet):
    moments = random.Random(11)
    fleet.start()
    for kill in range(KILLS):
        dying = fleet.start()
        # at least this many are received in any case, and the killed worker may be in the middle of any of them
        moment = len(fleet.receiver.received) + moments.randrange(ROUNDS * fleet.subscription_count)
        fleet.detect(range(kill * ROUNDS, (kill + 1) * ROUNDS))
        fleet.receiver.until(lambda at=moment: len(fleet.receiver.received) > at)
        fleet.kill(dying if moments.random() < 0.5 else fleet.workers[0])
    fleet.start()
    fleet.wait_until_delivered(KILLS * ROUNDS)
    fleet.end()
    check(fleet, KILLS * ROUNDS)


@pytest.mark.slow("suspended worker", *SUBJECTS)
def test_a_worker_suspended_past_its_leases_records_nothing_after_it_resumes(fleet):
    fleet.receiver.answer.holding = True
    suspended = fleet.start()
    fleet.detect(range(3))
    # more than one of a subscription if its lease expires before the last request arrives
    fleet.receiver.until(lambda: fleet.receiver.waiting >= fleet.subscription_count)
    suspend_between_transactions(suspended, fleet.world.database)
    fleet.receiver.answer.holding = False
    fleet.receiver.release()
    fleet.start()
    fleet.wait_until_delivered(3)
    audit, ledger = fleet.world.audit(), fleet.world.entries(fleet.accounts[0])
    os.kill(suspended.pid, signal.SIGCONT)
    fleet.end()
    assert len(fleet.receiver.received) >= 4 * fleet.subscription_count
    assert (fleet.world.audit(), fleet.world.entries(fleet.accounts[0])) == (audit, ledger)
    check(fleet, 3)


def suspend_between_transactions(worker, database):
    """Suspend a worker outside its transactions: a lock that it holds would stop the others until it resumes."""

    def is_suspended_without_locks():
        os.kill(worker.pid, signal.SIGSTOP)
        eventually(lambda: psutil.Process(worker.pid).status() == psutil.STATUS_STOPPED, "still running")
        if holds_no_lock(database):
            return True
        os.kill(worker.pid, signal.SIGCONT)
        return False

    eventually(is_suspended_without_locks, "the worker is never outside a transaction")


def holds_no_lock(database):
    """Return whether no other process is in a transaction."""
    if not database.embedded:
        return database.session().all(_IN_TRANSACTION) == [(0,)]
    try:
        # the suspended worker does not give its lock back, however long one waits
        with patch.object(sqlite, "WRITER_WAIT_SECONDS", 0.1), database.write(None):
            return True
    except Busy:
        return False


def check(fleet, count):
    """Check that every subscription received this many signals."""
    world = fleet.world
    expected = count * COMPANIES
    bodies, arrived = defaultdict(set), defaultdict(int)
    order = defaultdict(dict)
    for received in fleet.receiver.received:
        payload = received.json
        assert received.headers["webhook-id"] == payload["id"]
        bodies[payload["id"]].add(received.body)
        arrived[payload["id"]] += 1
        order[payload["subscriptionId"]].setdefault(payload["id"], payload["data"]["articleUrl"])
    # everything in the order of detection; repetitions have the same body
    assert len(bodies) == expected * len(fleet.accounts)
    assert {len(each) for each in bodies.values()} == {1}
    numbers = [str(number) for number in range(count)]
    for urls in order.values():
        assert [url.rpartition("-")[2] for url in urls.values()] == numbers
    # each attempt with a known result is audited once
    successes = [row["payload_id"] for row in fleet.successes()]
    assert sorted(successes) == sorted(bodies)
    attempts = defaultdict(list)
    for row in world.audit():
        assert row["status"] in (Status.SUCCESS, Status.FAILED)
        attempts[row["payload_id"]].append(row["at"])
    for payload_id, moments in attempts.items():
        assert len(set(moments)) == len(moments) <= arrived[payload_id]
    # each delivery is charged once
    assert world.deliveries() == []
    for account in fleet.accounts:
        balance = world.balance(account)
        assert (balance.used, balance.held) == (expected, 0)
        entries = [entry for entry in world.entries(account) if entry.kind != "grant"]
        placed = [entry.request_id for entry in entries if entry.kind == "hold"]
        captured = [entry.request_id for entry in entries if entry.kind == "capture"]
        assert len(set(placed)) == len(placed) == len(entries) - len(captured) == expected
        assert sorted(captured) == sorted(placed)
        assert entries[-1].balance == balance.remaining == 10_000 - expected

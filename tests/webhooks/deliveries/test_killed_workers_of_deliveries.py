"""Real workers that die, or are suspended past their leases, while they deliver to a real receiver.

See docs/reference/webhooks.md#leases.

Afterwards everything was received, charged once and recorded once, whoever died when.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict

import msgspec
import pytest
from receivers import Answer, Receiver, acknowledged
from webhook_fixtures import World, news

from firmograph.kit.clock import SystemClock, iso
from firmograph.webhooks.types import Status
from record_factory import KEYRING
from server_fixtures import Command, eventually

WORKER = """
from firmograph.database import leases
leases.LEASE_SECONDS = 1.5
from firmograph.cli.main import run
run()
"""
"""`firmograph worker` with leases that run out within the patience of a test."""

COMPANIES = 8
KILLS, ROUNDS = 4, 5
"""Workers that die, and signals of each company that are detected before each of them does."""


class Unreliable:
    """Answers some of what it sees for the first time with 503, and holds everything back while it is told to."""

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
        return acknowledged(received)._replace(held=self.holding)


class Fleet:
    """The world of a test with workers that are processes, and one receiver of everything."""

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
        self.lanes = COMPANIES * len(self.accounts)
        self.workers = []

    def start(self):
        """A worker; who starts it may die before it is ready."""
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, "worker"],
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
        """So many signals of each company, each company's in an order of their own."""
        today = iso(time.time())[:10]
        for number in rounds:
            self.world.detect(
                *(
                    news(company, day=today, event=f"Partnership {number}")
                    for company in range(1, COMPANIES + 1)
                )
            )

    def wait_until_delivered(self, count):
        """Until so many signals went to every subscription."""
        expected = count * self.lanes
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
def fleet(patient, tmp_path, monkeypatch):
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


def test_everything_is_received_charged_once_and_audited_once_though_workers_die(fleet):
    moments = random.Random(11)
    fleet.start()
    for kill in range(KILLS):
        dying = fleet.start()
        # so many are received after this in any case, and the one that dies may be in the middle of any of them
        moment = len(fleet.receiver.received) + moments.randrange(ROUNDS * fleet.lanes)
        fleet.detect(range(kill * ROUNDS, (kill + 1) * ROUNDS))
        fleet.receiver.until(lambda at=moment: len(fleet.receiver.received) > at)
        fleet.kill(dying if moments.random() < 0.5 else fleet.workers[0])
    fleet.start()
    fleet.wait_until_delivered(KILLS * ROUNDS)
    fleet.end()
    check(fleet, KILLS * ROUNDS)


def test_a_worker_that_is_suspended_past_its_leases_records_nothing_when_it_goes_on(fleet):
    fleet.receiver.answer.holding = True
    suspended = fleet.start()
    fleet.detect(range(3))
    # more than one of each, where a lease ran out before the last of them came
    fleet.receiver.until(lambda: fleet.receiver.waiting >= fleet.lanes)
    os.kill(suspended.pid, signal.SIGSTOP)
    fleet.receiver.answer.holding = False
    fleet.receiver.release()
    fleet.start()
    fleet.wait_until_delivered(3)
    audit, ledger = fleet.world.audit(), fleet.world.entries(fleet.accounts[0])
    os.kill(suspended.pid, signal.SIGCONT)
    fleet.end()
    assert len(fleet.receiver.received) >= 4 * fleet.lanes
    assert (fleet.world.audit(), fleet.world.entries(fleet.accounts[0])) == (audit, ledger)
    check(fleet, 3)


def check(fleet, count):
    """Every subscription was told of so many signals."""
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
    # all of it, in the order of detection, and what came again was the same
    assert len(bodies) == expected * len(fleet.accounts)
    assert {len(each) for each in bodies.values()} == {1}
    numbers = [str(number) for number in range(count)]
    for urls in order.values():
        assert [url.rpartition("-")[2] for url in urls.values()] == numbers
    # audited once for each attempt whose outcome is known
    successes = [row["payload_id"] for row in fleet.successes()]
    assert sorted(successes) == sorted(bodies)
    attempts = defaultdict(list)
    for row in world.audit():
        assert row["status"] in (Status.SUCCESS, Status.FAILED)
        attempts[row["payload_id"]].append(row["at"])
    for payload_id, moments in attempts.items():
        assert len(set(moments)) == len(moments) <= arrived[payload_id]
    # charged once
    assert world.deliveries() == []
    for account in fleet.accounts:
        balance = world.balance(account)
        assert (balance.used, balance.held) == (expected, 0)
        entries = [entry for entry in world.entries(account) if entry.kind != "grant"]
        held = [entry.request_id for entry in entries if entry.kind == "hold"]
        captured = [entry.request_id for entry in entries if entry.kind == "capture"]
        assert len(set(held)) == len(held) == len(entries) - len(captured) == expected
        assert sorted(captured) == sorted(held)
        assert entries[-1].balance == balance.remaining == 10_000 - expected

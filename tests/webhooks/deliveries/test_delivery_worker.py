import asyncio
import threading
from collections import Counter

import pytest
from queue_fixtures import FAILED, OK, QueueWorld
from structlog.testing import capture_logs
from webhook_fixtures import TODAY, headcount

from firmograph.database.leases import LEASE_SECONDS
from firmograph.kit.errors import Busy, Unavailable
from firmograph.webhooks.deliveries import worker
from firmograph.webhooks.deliveries.worker import DeliveryWorker
from firmograph.webhooks.types import State, Status

SLOW = "https://slow.example.com/"


class Stub:
    """Sends to nobody: tells what was sent, and answers as a function of the URL says, which may wait."""

    def __init__(self, answer=lambda url: OK):
        self.answer = answer
        self.sent = []
        self.in_flight = self.most_in_flight = 0

    async def __aenter__(self):
        self.loop = asyncio.get_running_loop()
        self.changed = asyncio.Condition()
        return self

    async def __aexit__(self, kind, *error):
        assert kind or self.in_flight == 0

    async def send(self, url, payload_id, secret, body):
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self.sent.append(url)
        async with self.changed:
            self.changed.notify_all()
        try:
            answer = self.answer(url)
            return await answer if asyncio.iscoroutine(answer) else answer
        finally:
            self.in_flight -= 1

    async def until(self, count):
        """Answer once so many were sent."""
        async with self.changed:
            await self.changed.wait_for(lambda: len(self.sent) >= count)
        return OK


class Told:
    def __init__(self):
        self.attempts = Counter()
        self.seconds = []

    def count_attempts(self, outcome, count):
        self.attempts[outcome] += count

    def observe_delivery(self, seconds):
        self.seconds.append(seconds)

    def set_backlog(self, deliveries, signals):
        pass


class Times:
    """Stands before a function: raises these errors first."""

    def __init__(self, function, *errors):
        self.function = function
        self.errors = list(errors)
        self.calls = 0

    def __call__(self, *arguments):
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.function(*arguments)


@pytest.fixture
def queues(world):
    return QueueWorld(world)


@pytest.fixture
def stub():
    return Stub()


@pytest.fixture
def told():
    return Told()


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """With a database that is away, but not with a machine that is busy."""
    monkeypatch.setattr(worker, "_ERROR_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(worker, "_GIVE_UP_SECONDS", 60.0)


@pytest.fixture
def deliverer(world, queues, stub, told):
    return DeliveryWorker(queues.first, queues.fan_out, lambda: stub, world.clock, told)


def run(deliverer):
    return asyncio.run(deliverer.run_until_idle())


def test_everything_that_is_due_is_delivered_and_told(world, queues, deliverer, stub, told):
    for number in (1, 2):
        world.subscribe(number=number, url=f"https://r{number}.example.com/")
    world.detect(*[headcount(number, day) for day in (TODAY, "2026-09-20") for number in (1, 2)])
    world.clock.advance(2)
    assert run(deliverer) == 4
    assert Counter(stub.sent) == {"https://r1.example.com/": 2, "https://r2.example.com/": 2}
    assert [row["status"] for row in world.audit()] == [Status.SUCCESS] * 4
    assert told.attempts == {"success": 4}
    assert told.seconds == [pytest.approx(2.012)] * 4
    assert run(deliverer) == 0


def test_what_fails_is_left_until_it_is_due_and_told_without_the_urls_path(world, deliverer, stub, told):
    lane = world.subscribe(url="https://hooks.example.com/secret-path")
    world.detect(headcount())
    stub.answer = lambda url: FAILED
    with capture_logs() as logs:
        assert run(deliverer) == 1
    (row,) = world.audit()
    assert [(line["payload"], line["subscription"], line["status"]) for line in logs] == [
        (row["payload_id"], lane.token, 500)
    ]
    assert "secret-path" not in str(logs)
    assert told.attempts == {"failed": 1}
    assert told.seconds == []


def test_a_slow_receiver_holds_up_nobody_else(world, deliverer, stub):
    for number, url in ((1, SLOW), (2, "https://fast.example.com/")):
        world.subscribe(number=number, url=url)
    days = [f"2026-09-{day}" for day in range(10, 20)]
    world.detect(headcount(1), *[headcount(2, day) for day in days])
    # it answers only when everything else has been delivered
    stub.answer = lambda url: stub.until(11) if url == SLOW else OK
    assert run(deliverer) == 11
    assert stub.sent[0] == SLOW or SLOW in stub.sent[:2]


def test_no_more_are_in_flight_than_there_are_slots(world, deliverer, stub, monkeypatch):
    monkeypatch.setattr(worker, "SLOTS", 3)
    for number in range(1, 6):
        world.subscribe(number=number)
    world.detect(*[headcount(number) for number in range(1, 6)])
    stub.answer = lambda url: stub.until(3)
    assert run(deliverer) == 5
    assert stub.most_in_flight == 3


def test_what_was_sent_while_the_database_was_away_is_recorded_once_it_is_back(
    world, queues, deliverer, stub, told, monkeypatch
):
    world.subscribe()
    world.detect(headcount())
    record = Times(queues.first.record, Busy(), Busy(), Unavailable(), Unavailable())
    # before anything is sent there is nothing to record
    monkeypatch.setattr(queues.first, "record", lambda outcomes: record(outcomes) if outcomes else [])
    with capture_logs() as logs:
        assert run(deliverer) == 1
    assert len(stub.sent) == 1
    assert record.calls == 5
    assert told.attempts == {"success": 1}
    assert [row["status"] for row in world.audit()] == [Status.SUCCESS]
    assert [(line["log_level"], line["event"].split()[0]) for line in logs] == [
        ("warning", "webhook"),
        ("warning", "webhook"),
    ]


def test_a_database_that_stays_away_is_told_to_whoever_waits(world, queues, deliverer, monkeypatch):
    monkeypatch.setattr(worker, "_GIVE_UP_SECONDS", 0.01)
    monkeypatch.setattr(queues.first, "claim", Times(None, *[Unavailable()] * 10_000))
    with pytest.raises(Unavailable):
        run(deliverer)


def test_what_fails_beside_it_does_not_keep_deliveries_back_and_is_told_once(
    world, queues, deliverer, stub, monkeypatch
):
    world.subscribe()
    queues.tell(headcount(), headcount(day="2026-09-20"))
    monkeypatch.setattr(queues.fan_out, "step", Times(lambda: 0, *[ValueError("ann")] * 3))
    with capture_logs() as logs:
        assert run(deliverer) == 2
    assert [(line["log_level"], line["part"]) for line in logs] == [("error", "fan-out")]
    assert "ann" not in str([{**line, "exc_info": None} for line in logs])


def test_one_that_cannot_be_recorded_keeps_no_other_from_it(
    world, queues, deliverer, stub, told, monkeypatch
):
    for number in (1, 2, 3):
        world.subscribe(number=number)
    queues.tell(*[headcount(number) for number in (1, 2, 3)])
    record = queues.first.record

    def broken(outcomes):
        if any(outcome.attempt.delivery_id == 2 for outcome in outcomes):
            raise ValueError
        return record(outcomes)

    monkeypatch.setattr(queues.first, "record", broken)
    with capture_logs() as logs:
        run(deliverer)
    assert len(world.audit()) == 2
    assert [line["payload"] for line in logs] == [world.deliveries()[0]["payload_id"]]
    assert told.attempts == {"success": 2, "lost": 1}


def test_what_could_not_be_sent_for_want_of_means_is_no_attempt(world, deliverer, stub, told):
    world.subscribe()
    world.detect(headcount())

    def without_sockets(url):
        raise OSError(24, "Too many open files")

    stub.answer = without_sockets
    with capture_logs() as logs:
        assert run(deliverer) == 0
    assert [line["part"] for line in logs] == ["send"]
    assert (world.audit(), told.attempts) == ([], {})
    stub.answer = lambda url: OK
    world.clock.advance(1)
    assert run(deliverer) == 1


def test_a_worker_that_was_suspended_sends_nothing_that_is_anothers_by_now(
    world, queues, deliverer, stub, told, monkeypatch
):
    world.subscribe(number=1)
    world.subscribe(number=2)
    queues.tell(headcount(1), headcount(2))
    take = queues.first.claim

    def then_suspended(most, now):
        taken = take(most, now)
        if taken:
            world.clock.advance(LEASE_SECONDS)
            others.extend(queues.take(1, queue=queues.second))
            # the other one may be sent, as nobody has it
            world.clock.advance(-LEASE_SECONDS + 2)
        return taken

    others = []
    monkeypatch.setattr(queues.first, "claim", then_suspended)
    assert run(deliverer) == 1
    assert len(stub.sent) == 1
    assert told.attempts == {"lost": 1, "success": 1}
    assert len(queues.record(others, queue=queues.second)) == 1


def test_ending_waits_for_what_is_in_flight_records_it_and_takes_no_more(world, deliverer, stub):
    world.subscribe()
    world.detect(headcount(), headcount(day="2026-09-20"))
    sending, released = threading.Event(), asyncio.Event()

    async def held():
        sending.set()
        await released.wait()
        return OK

    stub.answer = lambda url: held()
    deliverer.start()
    assert sending.wait(60)
    ending = threading.Thread(target=deliverer.stop)
    ending.start()
    ending.join(0.2)
    assert ending.is_alive()
    stub.loop.call_soon_threadsafe(released.set)
    ending.join(60)
    assert not ending.is_alive()
    assert len(stub.sent) == 1
    assert [row["status"] for row in world.audit()] == [Status.SUCCESS]
    (left,) = world.deliveries()
    assert (left["state"], left["held"]) == (State.WAITING, None)
    assert world.subscriptions()[0].lease_until == 0


def test_it_goes_on_by_itself_when_the_database_is_back_and_finds_what_comes(
    world, queues, deliverer, stub, monkeypatch
):
    world.subscribe()
    monkeypatch.setattr(queues.first, "claim", Times(queues.first.claim, *[Unavailable()] * 3))
    sent = threading.Event()
    stub.answer = lambda url: sent.set() or OK
    deliverer.start()
    world.detect(headcount())
    assert sent.wait(60)
    deliverer.stop()
    assert len(world.audit()) == 1


def test_whoever_runs_it_may_leave_at_once(world, deliverer, stub):
    world.subscribe()
    world.detect(headcount())

    async def leave():
        running = asyncio.create_task(deliverer.run_until_idle())
        stub.answer = lambda url: asyncio.Event().wait()
        while not stub.sent:
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(leave())
    deliverer.stop()
    assert world.audit() == []


def test_ending_one_that_was_never_begun_is_nothing(deliverer):
    deliverer.stop()

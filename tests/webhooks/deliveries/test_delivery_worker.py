import asyncio
import threading
from collections import Counter

import pytest
from queue_fixtures import FAILED, OK, QueueWorld
from structlog.testing import capture_logs
from webhook_fixtures import TODAY, headcount

from firmograph.database.leases import LEASE_SECONDS
from firmograph.jobs import runner
from firmograph.kit.errors import Busy, Unavailable
from firmograph.webhooks.deliveries.worker import create_delivery_worker
from firmograph.webhooks.types import State, Status

SLOW = "https://slow.example.com/"


class StubSender:
    """A sender that records URLs and answers by a function of the URL, which may wait."""

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
        """Return the answer after this many deliveries were sent."""
        async with self.changed:
            await self.changed.wait_for(lambda: len(self.sent) >= count)
        return OK


class Observer:
    def __init__(self):
        self.attempts = Counter()
        self.seconds = []

    def count_attempts(self, outcome, count):
        self.attempts[outcome] += count

    def observe_seconds(self, seconds):
        self.seconds.append(seconds)

    def set_backlog(self, deliveries, signals):
        pass


class FailingFirst:
    """A wrapper of a function that raises these errors first."""

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
    return StubSender()


@pytest.fixture
def observer():
    return Observer()


@pytest.fixture(autouse=True)
def retry_times(monkeypatch):
    """Retry quickly while the database is unavailable, and give up late on a busy machine."""
    monkeypatch.setattr(runner, "_ERROR_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(runner, "_GIVE_UP_SECONDS", 60.0)


@pytest.fixture
def delivery_worker(world, queues, stub, observer):
    return create_delivery_worker(queues.first, queues.fan_out, lambda: stub, world.clock, observer)


def run(delivery_worker):
    return asyncio.run(delivery_worker.run_until_idle())


def test_all_due_deliveries_are_sent_and_observed(world, queues, delivery_worker, stub, observer):
    for number in (1, 2):
        world.subscribe(number=number, url=f"https://r{number}.example.com/")
    world.detect(*[headcount(number, day) for day in (TODAY, "2026-09-20") for number in (1, 2)])
    world.clock.advance(2)
    assert run(delivery_worker) == 4
    assert Counter(stub.sent) == {"https://r1.example.com/": 2, "https://r2.example.com/": 2}
    assert [row["status"] for row in world.audit()] == [Status.SUCCESS] * 4
    assert observer.attempts == {"success": 4}
    assert observer.seconds == [pytest.approx(2.012)] * 4
    assert run(delivery_worker) == 0


def test_a_failure_waits_for_its_retry_and_is_logged_without_the_urls_path(
    world, delivery_worker, stub, observer
):
    subscription = world.subscribe(url="https://hooks.example.com/secret-path")
    world.detect(headcount())
    stub.answer = lambda url: FAILED
    with capture_logs() as logs:
        assert run(delivery_worker) == 1
    (row,) = world.audit()
    assert [(line["payload"], line["subscription"], line["status"]) for line in logs] == [
        (row["payload_id"], subscription.token, 500)
    ]
    assert "secret-path" not in str(logs)
    assert observer.attempts == {"failed": 1}
    assert observer.seconds == []


def test_a_slow_receiver_does_not_delay_others(world, delivery_worker, stub):
    for number, url in ((1, SLOW), (2, "https://fast.example.com/")):
        world.subscribe(number=number, url=url)
    days = [f"2026-09-{day}" for day in range(10, 20)]
    world.detect(headcount(1), *[headcount(2, day) for day in days])
    # the slow receiver answers after all others
    stub.answer = lambda url: stub.until(11) if url == SLOW else OK
    assert run(delivery_worker) == 11
    assert stub.sent[0] == SLOW or SLOW in stub.sent[:2]


def test_deliveries_in_flight_are_limited_by_the_slots(world, queues, stub, observer):
    delivery_worker = create_delivery_worker(
        queues.first, queues.fan_out, lambda: stub, world.clock, observer, slots=3
    )
    for number in range(1, 6):
        world.subscribe(number=number)
    world.detect(*[headcount(number) for number in range(1, 6)])
    stub.answer = lambda url: stub.until(3)
    assert run(delivery_worker) == 5
    assert stub.most_in_flight == 3


def test_results_are_recorded_after_the_database_recovers(
    world, queues, delivery_worker, stub, observer, monkeypatch
):
    world.subscribe()
    world.detect(headcount())
    record = FailingFirst(queues.first.record, Busy(), Busy(), Unavailable(), Unavailable())
    # `record` is called with nothing before the first delivery
    monkeypatch.setattr(queues.first, "record", lambda results: record(results) if results else [])
    with capture_logs() as logs:
        assert run(delivery_worker) == 1
    assert len(stub.sent) == 1
    assert record.calls == 5
    assert observer.attempts == {"success": 1}
    assert [row["status"] for row in world.audit()] == [Status.SUCCESS]
    assert [(line["log_level"], line["event"].split()[0]) for line in logs] == [
        ("warning", "webhook"),
        ("warning", "webhook"),
    ]


def test_a_lasting_database_outage_is_raised_to_the_caller(world, queues, delivery_worker, monkeypatch):
    monkeypatch.setattr(runner, "_GIVE_UP_SECONDS", 0.01)
    monkeypatch.setattr(queues.first, "claim", FailingFirst(None, *[Unavailable()] * 10_000))
    with pytest.raises(Unavailable):
        run(delivery_worker)


def test_a_failing_fan_out_is_logged_once_and_does_not_delay_deliveries(
    world, queues, delivery_worker, stub, monkeypatch
):
    world.subscribe()
    queues.fan_out_signals(headcount(), headcount(day="2026-09-20"))
    monkeypatch.setattr(queues.fan_out, "step", FailingFirst(lambda: 0, *[ValueError("ann")] * 3))
    with capture_logs() as logs:
        assert run(delivery_worker) == 2
    assert [(line["log_level"], line["part"]) for line in logs] == [("error", "fan-out")]
    assert "ann" not in str([{**line, "exc_info": None} for line in logs])


def test_an_unrecordable_result_does_not_prevent_recording_others(
    world, queues, delivery_worker, stub, observer, monkeypatch
):
    for number in (1, 2, 3):
        world.subscribe(number=number)
    queues.fan_out_signals(*[headcount(number) for number in (1, 2, 3)])
    record = queues.first.record

    def broken(results):
        if any(result.attempt.delivery_id == 2 for result in results):
            raise ValueError
        return record(results)

    monkeypatch.setattr(queues.first, "record", broken)
    with capture_logs() as logs:
        run(delivery_worker)
    assert len(world.audit()) == 2
    assert [line["payload"] for line in logs] == [world.deliveries()[0]["payload_id"]]
    assert observer.attempts == {"success": 2, "lost": 1}


def test_a_local_error_is_no_attempt(world, delivery_worker, stub, observer):
    world.subscribe()
    world.detect(headcount())

    def without_sockets(url):
        raise OSError(24, "Too many open files")

    stub.answer = without_sockets
    with capture_logs() as logs:
        assert run(delivery_worker) == 0
    assert [line["part"] for line in logs] == ["send"]
    assert (world.audit(), observer.attempts) == ([], {})
    stub.answer = lambda url: OK
    world.clock.advance(1)
    assert run(delivery_worker) == 1


def test_a_suspended_worker_sends_nothing_that_another_has_claimed(
    world, queues, delivery_worker, stub, observer, monkeypatch
):
    world.subscribe(number=1)
    world.subscribe(number=2)
    queues.fan_out_signals(headcount(1), headcount(2))
    claim = queues.first.claim

    def then_suspended(most, now):
        attempts = claim(most, now)
        if attempts:
            world.clock.advance(LEASE_SECONDS)
            others.extend(queues.claim(1, queue=queues.second))
            # the other delivery may be sent, as no other worker claimed it
            world.clock.advance(-LEASE_SECONDS + 2)
        return attempts

    others = []
    monkeypatch.setattr(queues.first, "claim", then_suspended)
    assert run(delivery_worker) == 1
    assert len(stub.sent) == 1
    assert observer.attempts == {"lost": 1, "success": 1}
    assert len(queues.record(others, queue=queues.second)) == 1


def test_stop_waits_for_deliveries_in_flight_and_claims_no_more(world, delivery_worker, stub):
    world.subscribe()
    world.detect(headcount(), headcount(day="2026-09-20"))
    sending, released = threading.Event(), asyncio.Event()

    async def wait_for_release():
        sending.set()
        await released.wait()
        return OK

    stub.answer = lambda url: wait_for_release()
    delivery_worker.start()
    assert sending.wait(60)
    stopping = threading.Thread(target=delivery_worker.stop)
    stopping.start()
    stopping.join(0.2)
    assert stopping.is_alive()
    stub.loop.call_soon_threadsafe(released.set)
    stopping.join(60)
    assert not stopping.is_alive()
    assert len(stub.sent) == 1
    assert [row["status"] for row in world.audit()] == [Status.SUCCESS]
    (remaining,) = world.deliveries()
    assert (remaining["state"], remaining["held"]) == (State.WAITING, None)
    assert world.subscriptions()[0].lease_until == 0


def test_a_worker_resumes_after_a_database_outage_and_finds_new_deliveries(
    world, queues, delivery_worker, stub, monkeypatch
):
    world.subscribe()
    monkeypatch.setattr(queues.first, "claim", FailingFirst(queues.first.claim, *[Unavailable()] * 3))
    sent = threading.Event()
    stub.answer = lambda url: sent.set() or OK
    delivery_worker.start()
    world.detect(headcount())
    assert sent.wait(60)
    delivery_worker.stop()
    assert len(world.audit()) == 1


def test_a_run_can_be_cancelled(world, delivery_worker, stub):
    world.subscribe()
    world.detect(headcount())

    async def cancel_run():
        running = asyncio.create_task(delivery_worker.run_until_idle())
        stub.answer = lambda url: asyncio.Event().wait()
        while not stub.sent:
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancel_run())
    delivery_worker.stop()
    assert world.audit() == []


def test_stopping_an_unstarted_worker_does_nothing(delivery_worker):
    delivery_worker.stop()

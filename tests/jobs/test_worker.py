import threading

import pytest
import sqlalchemy as sa
from idempotency_fixtures import keys, new_account, put_keys
from structlog.testing import capture_logs

from firmograph.database.connection import Database, account_scope
from firmograph.database.leases import LEASE_SECONDS
from firmograph.jobs import scheduler
from firmograph.jobs.scheduler import Duty, Part, ScopedDuty, Worker
from firmograph.jobs.tables import duties
from firmograph.kit.errors import Unavailable

HOUR = 3_600.0
_DUTY = sa.select(duties.c.due_at, duties.c.lease_until, duties.c.fence, duties.c.last_at).where(
    duties.c.name == sa.bindparam("name")
)


def held(database, name):
    """When a duty is due, until when it is leased, how often it was claimed, and when it was last done."""
    return database.session().one(_DUTY, (name,))


class Parts:
    """A duty of some parts; notes when each was done."""

    def __init__(self, name="sweep", count=1):
        self.done = []
        self.left = self.count = count
        self.duty = Duty(name, HOUR, self.part)

    def part(self, session, now):
        if self.left == 0:
            self.left = self.count
            return 0
        self.left -= 1
        self.done.append(now)
        return 1


def test_a_duty_is_done_once_in_its_period_by_whichever_worker_comes_first(database, clock):
    parts = Parts()
    begun = clock.seconds()
    workers = [Worker(database, clock, [parts.duty]) for _ in range(3)]
    for _ in range(9):
        for worker in workers:
            worker.step()
        clock.advance(HOUR / 4)
    assert parts.done == [begun, begun + HOUR, begun + 2 * HOUR]


def test_a_step_tells_whether_there_was_something_to_do(database, clock):
    worker = Worker(database, clock, [Parts("one").duty, Parts("two").duty])
    assert [worker.step() for _ in range(3)] == [True, True, False]
    clock.advance(HOUR)
    assert [worker.step() for _ in range(3)] == [True, True, False]


def test_the_worker_rests_after_each_part_of_a_duty(database, clock, monkeypatch):
    worker, rests = Worker(database, clock, [Parts(count=3).duty]), []
    monkeypatch.setattr(worker._stop, "wait", rests.append)
    worker.step()
    assert [rest > 0 for rest in rests] == [True] * 3


def test_what_was_done_is_recorded_with_its_time_and_the_lease_is_given_back(database, clock):
    Worker(database, clock, [Parts().duty]).step()
    now = clock.seconds()
    assert held(database, "sweep") == (now + HOUR, 0, 1, now)


def test_looking_for_something_to_do_writes_nothing(database, clock):
    worker = Worker(database, clock, [Parts().duty])
    worker.step()
    before = database.session().statements
    with database.write(None):
        # inside a transaction no other can begin
        assert not worker.step()
    assert database.session().statements - before == 1


def test_a_duty_of_another_release_is_left_alone(database, clock):
    newer = Parts("newer")
    Worker(database, clock, [newer.duty]).step()
    clock.advance(HOUR)
    assert not Worker(database, clock, []).step()
    assert len(newer.done) == 1


def test_a_duty_that_fails_is_told_without_what_it_met_and_tried_again_when_it_is_due_next(database, clock):
    address = "@".join(("ann", "example.com"))

    def fail(session, now):
        raise ValueError(address)

    ended = []
    other = Parts("other")
    worker = Worker(
        database, clock, [Duty("broken", HOUR, fail), other.duty], lambda *duty: ended.append(duty)
    )
    with capture_logs() as logs:
        assert [worker.step() for _ in range(3)] == [True, True, False]
    assert sorted(ended) == [("broken", "failed"), ("other", "done")]
    (told,) = (line for line in logs if line["log_level"] == "error")
    assert told["duty"] == "broken"
    assert address not in str({key: value for key, value in told.items() if key != "exc_info"})
    assert held(database, "broken") == (clock.seconds() + HOUR, 0, 1, None)
    clock.advance(HOUR)
    worker.step()
    worker.step()
    assert ended.count(("broken", "failed")) == 2


def test_a_part_that_fails_is_undone(database, clock):
    account_id = new_account(database, clock)

    def fail(session, now):
        session.execute(sa.text("DELETE FROM idempotency_keys"))
        raise ValueError

    put_keys(database, account_id, clock.seconds(), ["kept"])
    Worker(database, clock, [Duty("broken", HOUR, fail)]).step()
    assert keys(database) == ["kept"]


def test_a_duty_that_takes_longer_than_a_lease_stays_this_workers_as_long_as_its_parts_are_short(
    database, clock
):
    def slow(session, now):
        clock.advance(LEASE_SECONDS - 1)
        return int(clock.seconds() < begun + 100)

    begun = clock.seconds()
    slowly = Duty("slow", HOUR, slow)
    ended = []
    Worker(database, clock, [slowly], lambda *duty: ended.append(duty)).step()
    assert ended == [("slow", "done")]
    assert held(database, "slow")[2] == 1


def test_a_worker_that_dies_in_the_middle_is_replaced_once_its_lease_has_run_out(database, clock):
    class Died(BaseException):
        pass

    def die(session, now):
        raise Died

    parts = Parts("sweep")
    other = Worker(database, clock, [parts.duty])
    with pytest.raises(Died):
        Worker(database, clock, [Duty("sweep", HOUR, die)]).step()
    assert not other.step()
    clock.advance(LEASE_SECONDS)
    assert other.step()
    assert len(parts.done) == 1


def test_a_worker_asked_to_stop_finishes_the_part_at_hand_and_another_goes_on_at_once(database, clock):
    parts = Parts(count=5)

    def part(session, now):
        first.stop()
        return parts.part(session, now)

    first = Worker(database, clock, [Duty("sweep", HOUR, part)])
    first.step()
    assert len(parts.done) == 1
    assert held(database, "sweep") == (clock.seconds(), 0, 1, None)
    assert Worker(database, clock, [parts.duty]).step()
    assert len(parts.done) == 5


def test_a_worker_tells_once_that_the_database_is_away_and_goes_on_by_itself(database, clock, monkeypatch):
    monkeypatch.setattr(scheduler, "POLL_SECONDS", 0.001)
    away = iter([Unavailable] * 3)
    parts = Parts()

    def part(session, now):
        for error in away:
            # somebody who waits for the lease of this attempt to run out
            clock.advance(LEASE_SECONDS)
            raise error
        return parts.part(session, now)

    ended = threading.Event()
    worker = Worker(database, clock, [Duty("sweep", HOUR, part)], lambda *duty: ended.set())
    with capture_logs() as logs:
        worker.start()
        assert ended.wait(30)
        worker.stop()
    told = [(line["log_level"], line["event"]) for line in logs if line["log_level"] != "debug"]
    assert [level for level, _ in told if level == "warning"] == ["warning"]
    assert "the worker has recovered" in [event for _, event in told]


class Scopes(Database):
    """Notes the scopes of each writing transaction."""

    def __init__(self, url):
        super().__init__(url)
        self.entered = []

    def write(self, *scopes):
        self.entered.append(scopes)
        return super().write(*scopes)


def test_a_part_is_done_under_the_scopes_that_were_found_for_it_until_none_is_found(database, clock):
    noting = Scopes(database.url)
    left, done = [[7, 5], [9]], []

    def find(session, now):
        return Part([account_scope(id) for id in left[0]], do) if left else None

    def do(session, now):
        done.append((left.pop(0), now))
        return 1

    worker = Worker(noting, clock, [ScopedDuty("sweep", HOUR, find)])
    assert [worker.step(), worker.step()] == [True, False]
    assert done == [([7, 5], clock.seconds()), ([9], clock.seconds())]
    expected = [(account_scope(7), account_scope(5)), (account_scope(9),), (None,)]
    assert noting.entered[-3:] == expected
    assert held(database, "sweep")[3] == clock.seconds()
    noting.close()

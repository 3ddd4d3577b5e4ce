import threading

import pytest
import sqlalchemy as sa
from idempotency_fixtures import keys, new_account, put_keys
from structlog.testing import capture_logs

from firmograph.database.connection import Database, account_scope
from firmograph.database.leases import LEASE_SECONDS
from firmograph.jobs import scheduler
from firmograph.jobs.scheduler import JobPart, JobWorker, PeriodicJob, ScopedJob
from firmograph.jobs.tables import duties
from firmograph.kit.errors import Unavailable

HOUR = 3_600.0
_JOB = sa.select(duties.c.due_at, duties.c.lease_until, duties.c.fence, duties.c.last_at).where(
    duties.c.name == sa.bindparam("name")
)


def stored_job(database, name):
    """Return when a job is due, until when it is leased, its number of claims, and when it was last done."""
    return database.session().one(_JOB, (name,))


class Parts:
    """A job of several parts and the times when each was done."""

    def __init__(self, name="sweep", count=1):
        self.done = []
        self.left = self.count = count
        self.job = PeriodicJob(name, HOUR, self.part)

    def part(self, session, now):
        if self.left == 0:
            self.left = self.count
            return 0
        self.left -= 1
        self.done.append(now)
        return 1


def test_a_job_is_done_once_in_its_period_by_the_first_worker(database, clock):
    parts = Parts()
    start = clock.seconds()
    workers = [JobWorker(database, clock, [parts.job]) for _ in range(3)]
    for _ in range(9):
        for worker in workers:
            worker.step()
        clock.advance(HOUR / 4)
    assert parts.done == [start, start + HOUR, start + 2 * HOUR]


def test_a_step_returns_whether_it_did_a_job(database, clock):
    worker = JobWorker(database, clock, [Parts("one").job, Parts("two").job])
    assert [worker.step() for _ in range(3)] == [True, True, False]
    clock.advance(HOUR)
    assert [worker.step() for _ in range(3)] == [True, True, False]


def test_the_worker_pauses_after_each_part_of_a_job(database, clock, monkeypatch):
    worker, pauses = JobWorker(database, clock, [Parts(count=3).job]), []
    monkeypatch.setattr(worker._stop, "wait", pauses.append)
    worker.step()
    assert [pause > 0 for pause in pauses] == [True] * 3


def test_a_done_job_is_recorded_with_its_time_and_its_lease_is_released(database, clock):
    JobWorker(database, clock, [Parts().job]).step()
    now = clock.seconds()
    assert stored_job(database, "sweep") == (now + HOUR, 0, 1, now)


def test_looking_for_a_due_job_writes_nothing(database, clock):
    worker = JobWorker(database, clock, [Parts().job])
    worker.step()
    before = database.session().statements
    with database.write(None):
        # a second write transaction cannot begin inside this one
        assert not worker.step()
    assert database.session().statements - before == 1


def test_a_job_of_another_release_is_ignored(database, clock):
    newer = Parts("newer")
    JobWorker(database, clock, [newer.job]).step()
    clock.advance(HOUR)
    assert not JobWorker(database, clock, []).step()
    assert len(newer.done) == 1


def test_a_failed_job_is_logged_without_personal_data_and_retried_when_it_is_next_due(database, clock):
    address = "@".join(("ann", "example.com"))

    def fail(session, now):
        raise ValueError(address)

    results = []
    other = Parts("other")
    worker = JobWorker(
        database,
        clock,
        [PeriodicJob("broken", HOUR, fail), other.job],
        lambda *result: results.append(result),
    )
    with capture_logs() as logs:
        assert [worker.step() for _ in range(3)] == [True, True, False]
    assert sorted(results) == [("broken", "failed"), ("other", "done")]
    (entry,) = (line for line in logs if line["log_level"] == "error")
    assert entry["duty"] == "broken"
    assert address not in str({key: value for key, value in entry.items() if key != "exc_info"})
    assert stored_job(database, "broken") == (clock.seconds() + HOUR, 0, 1, None)
    clock.advance(HOUR)
    worker.step()
    worker.step()
    assert results.count(("broken", "failed")) == 2


def test_a_failed_part_is_rolled_back(database, clock):
    account_id = new_account(database, clock)

    def fail(session, now):
        session.execute(sa.text("DELETE FROM idempotency_keys"))
        raise ValueError

    put_keys(database, account_id, clock.seconds(), ["expired"])
    JobWorker(database, clock, [PeriodicJob("broken", HOUR, fail)]).step()
    assert keys(database) == ["expired"]


def test_a_job_longer_than_a_lease_keeps_its_worker_while_its_parts_are_short(database, clock):
    def slow(session, now):
        clock.advance(LEASE_SECONDS - 1)
        return int(clock.seconds() < start + 100)

    start = clock.seconds()
    job = PeriodicJob("slow", HOUR, slow)
    results = []
    JobWorker(database, clock, [job], lambda *result: results.append(result)).step()
    assert results == [("slow", "done")]
    assert stored_job(database, "slow")[2] == 1


def test_a_worker_that_dies_in_a_job_is_replaced_after_its_lease(database, clock):
    class Died(BaseException):
        pass

    def die(session, now):
        raise Died

    parts = Parts("sweep")
    other = JobWorker(database, clock, [parts.job])
    with pytest.raises(Died):
        JobWorker(database, clock, [PeriodicJob("sweep", HOUR, die)]).step()
    assert not other.step()
    clock.advance(LEASE_SECONDS)
    assert other.step()
    assert len(parts.done) == 1


def test_a_stopped_worker_finishes_its_current_part_and_another_continues_at_once(database, clock):
    parts = Parts(count=5)

    def part(session, now):
        first.stop()
        return parts.part(session, now)

    first = JobWorker(database, clock, [PeriodicJob("sweep", HOUR, part)])
    first.step()
    assert len(parts.done) == 1
    assert stored_job(database, "sweep") == (clock.seconds(), 0, 1, None)
    assert JobWorker(database, clock, [parts.job]).step()
    assert len(parts.done) == 5


def test_a_worker_logs_once_that_the_database_is_unavailable_and_resumes_by_itself(
    database, clock, monkeypatch
):
    monkeypatch.setattr(scheduler, "POLL_SECONDS", 0.001)
    errors = iter([Unavailable] * 3)
    parts = Parts()

    def part(session, now):
        for error in errors:
            # the lease of this attempt runs out before the next one
            clock.advance(LEASE_SECONDS)
            raise error
        return parts.part(session, now)

    finished = threading.Event()
    worker = JobWorker(database, clock, [PeriodicJob("sweep", HOUR, part)], lambda *result: finished.set())
    with capture_logs() as logs:
        worker.start()
        assert finished.wait(30)
        worker.stop()
    events = [(line["log_level"], line["event"]) for line in logs if line["log_level"] != "debug"]
    assert [level for level, _ in events if level == "warning"] == ["warning"]
    assert "the worker has recovered" in [event for _, event in events]


class Scopes(Database):
    """A database that records the scopes of each write transaction."""

    def __init__(self, url):
        super().__init__(url)
        self.entered = []

    def write(self, *scopes):
        self.entered.append(scopes)
        return super().write(*scopes)


def test_each_part_runs_in_the_scopes_found_for_it_until_no_part_is_found(database, clock):
    recording = Scopes(database.url)
    left, done = [[7, 5], [9]], []

    def find(session, now):
        return JobPart([account_scope(id) for id in left[0]], do) if left else None

    def do(session, now):
        done.append((left.pop(0), now))
        return 1

    worker = JobWorker(recording, clock, [ScopedJob("sweep", HOUR, find)])
    assert [worker.step(), worker.step()] == [True, False]
    assert done == [([7, 5], clock.seconds()), ([9], clock.seconds())]
    expected = [(account_scope(7), account_scope(5)), (account_scope(9),), (None,)]
    assert recording.entered[-3:] == expected
    assert stored_job(database, "sweep")[3] == clock.seconds()
    recording.close()

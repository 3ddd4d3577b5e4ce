"""Runner of claimed work on a small queue: renewal, giving back, work in threads, lost claims."""

import asyncio
from typing import NamedTuple

import pytest
import sqlalchemy as sa
import structlog

from firmograph.database.leases import LEASE_SECONDS, Claim, Leases, lease_columns
from firmograph.jobs.claimed_queue import GIVE_BACK_SECONDS, ClaimedQueue
from firmograph.jobs.runner import Runner, ThreadedPerformer
from firmograph.jobs.runner_cycle import RunnerCycle, RunnerTexts
from firmograph.kit.clock import SystemClock

tasks = sa.Table(
    "tasks",
    sa.MetaData(),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("done", sa.Integer, nullable=False),
    *lease_columns(),
)
leases: Leases[int] = Leases(tasks)
TEXTS = RunnerTexts(
    structlog.get_logger("test"), "test", "work", "waiting", "failed", "recovered", "lost", "end"
)

_ADD = sa.insert(tasks).values(number=sa.bindparam("number"), done=0, due_at=0.0, lease_until=0.0, fence=0)
_FINISH = sa.update(tasks).where(leases.held).values(done=tasks.c.done + 1, due_at=1e12, lease_until=0.0)
_DONE = sa.select(tasks.c.number, tasks.c.done).order_by(tasks.c.number)


class Task(NamedTuple):
    claim: Claim[int]


class Finished(NamedTuple):
    task: Task
    outcome: str = "done"
    seconds: float | None = None


class TaskQueue(ClaimedQueue[Task, Task, Finished]):
    """Queue of the table `tasks`; a task is its own result."""

    def __init__(self, database, clock):
        super().__init__(database, clock, leases)

    def claim(self, limit, now):
        with self._database.write(None) as session:
            return [Task(claim) for claim in leases.claim(session, limit, now)]

    def record(self, results):
        with self._database.write(None) as session:
            return [
                Finished(task) for task in results if session.execute(_FINISH, task.claim.holding()).rowcount
            ]

    def log_fields(self, result):
        return {"task": result.claim.key}

    def backlog(self):
        return ()


class Figures:
    """Observer that keeps counts by outcome."""

    def __init__(self):
        self.counts = {}

    def count_attempts(self, outcome, count):
        self.counts[outcome] = self.counts.get(outcome, 0) + count

    def observe_seconds(self, seconds):
        pass

    def set_backlog(self, *figures):
        pass


@pytest.fixture
def queue(database, clock):
    """Return a queue of three tasks."""
    tasks.create(database.engine)
    with database.write(None) as session:
        for number in range(3):
            session.execute(_ADD, {"number": number})
    return TaskQueue(database, clock)


@pytest.fixture
def figures():
    return Figures()


@pytest.fixture
def cycle(queue, clock, figures):
    return RunnerCycle(queue, {}, clock, figures, TEXTS, TEXTS.make_error_log())


def done(database):
    return dict(database.session().all(_DONE))


def test_work_longer_than_a_lease_keeps_its_claim(cycle, queue, clock, database):
    claimed = cycle.run(3).claimed
    for _ in range(8):
        clock.advance(LEASE_SECONDS / 3)
        cycle.run(0)
        assert queue.claim(3, clock.seconds()) == []
    for task in claimed:
        cycle.finish(task, task)
    assert cycle.run(0).recorded == 3
    assert done(database) == {0: 1, 1: 1, 2: 1}


def test_a_runner_that_does_not_renew_loses_its_claims(cycle, queue, clock, figures, database):
    task, *_ = cycle.run(1).claimed
    clock.advance(LEASE_SECONDS)
    assert {each.claim.key for each in queue.claim(3, clock.seconds())} == {0, 1, 2}
    cycle.finish(task, task)
    cycle.record()
    assert figures.counts == {"lost": 1}
    assert done(database) == {0: 0, 1: 0, 2: 0}


def test_work_that_the_machine_could_not_do_is_due_again_without_a_result(cycle, clock, database):
    task, *_ = cycle.run(1).claimed
    cycle.fail(task)
    cycle.run(0)
    assert cycle.is_idle
    assert done(database)[task.claim.key] == 0
    clock.advance(GIVE_BACK_SECONDS)
    assert task.claim.key in {each.claim.key for each in cycle.run(3).claimed}


def test_a_step_that_fails_stops_no_other(queue, clock, figures):
    passed = []

    def failing():
        raise ValueError

    cycle = RunnerCycle(
        queue,
        {"failing": failing, "other": lambda: passed.append(1) or 1},
        clock,
        figures,
        TEXTS,
        TEXTS.make_error_log(),
    )
    cycled = cycle.run(3)
    assert (len(cycled.claimed), cycled.advanced, passed) == (3, 1, [1])


def test_two_runners_in_threads_do_each_task_once(queue, database):
    clock = SystemClock()
    performed = []

    def perform(task):
        performed.append(task.claim.key)
        return task

    def runner():
        own = TaskQueue(database, clock)
        return Runner(own, lambda: ThreadedPerformer(perform, 2, "tasks"), clock, Figures(), TEXTS, slots=2)

    async def both():
        return await asyncio.gather(runner().run_until_idle(), runner().run_until_idle())

    assert sum(asyncio.run(both())) == 3
    assert sorted(performed) == [0, 1, 2]
    assert done(database) == {0: 1, 1: 1, 2: 1}

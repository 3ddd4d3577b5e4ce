"""Roles: one worker at a time, and another when it dies or is suspended."""

import os
import signal
import time

import psutil
import pytest
import sqlalchemy as sa

from firmograph.database.connection import INSTALLATION
from firmograph.jobs.role import ROLE_SECONDS, RoleWorker
from firmograph.jobs.tables import duties
from firmograph.kit.clock import SetClock, SystemClock
from server_fixtures import eventually

NAME = "role-of-a-test"
TAKEOVER_SECONDS = 30.0

_ADD = sa.text("INSERT INTO installation (name, value) VALUES (:name, :value)")
_WRITERS = sa.text("SELECT value FROM installation WHERE name LIKE 'written by %' ORDER BY name")
_FENCE = sa.select(duties.c.fence).where(duties.c.name == NAME)

HOLDER = """
import os, signal, sys
from firmograph.database.connection import INSTALLATION, Database
from firmograph.jobs.role import RoleLost, RoleWorker
from firmograph.kit.clock import SystemClock
from firmograph.kit.logs import set_up_logs
import sqlalchemy as sa

set_up_logs("error")
add = sa.text("INSERT INTO installation (name, value) VALUES ('written by process', 'process')")

def step(held):
    print(held.fence, flush=True)
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
    with held.write(INSTALLATION) as session:
        session.execute(add)
    return 0.0

worker = RoleWorker(Database(sys.argv[1]), SystemClock(), "role-of-a-test", step)
worker.step()
print("holder" if worker.is_holder else "lost", flush=True)
"""


class Writer:
    """Step that writes one row under the role each time."""

    def __init__(self, name):
        self.name = name
        self.count = 0

    def __call__(self, held):
        self.count += 1
        with held.write(INSTALLATION) as session:
            session.execute(_ADD, {"name": f"written by {self.name} {self.count}", "value": self.name})
        return 1.0


@pytest.fixture
def worker(database):
    """Return a function that makes a worker with a step, at this clock."""
    return lambda step, clock: RoleWorker(database, clock, NAME, step)


def writers(database):
    return [value for (value,) in database.session().all(_WRITERS)]


def test_only_one_worker_has_the_role(worker, database, clock):
    first, second = worker(Writer("first"), clock), worker(Writer("second"), clock)
    for _ in range(3):
        first.step()
        second.step()
    assert (first.is_holder, second.is_holder) == (True, False)
    assert writers(database) == ["first"] * 3


def test_a_holder_that_works_keeps_the_role_beyond_a_lease(worker, database, clock):
    first, second = worker(lambda held: 1.0, clock), worker(Writer("second"), clock)
    for _ in range(10):
        first.step()
        clock.advance(ROLE_SECONDS / 2)
        second.step()
    assert (first.is_holder, second.is_holder) == (True, False)


def test_a_released_role_is_free_at_once(worker, clock):
    first, second = worker(Writer("first"), clock), worker(Writer("second"), clock)
    first.step()
    first.release()
    second.step()
    assert (first.is_holder, second.is_holder) == (False, True)


def test_another_worker_takes_over_within_half_a_minute(worker, clock):
    silent, successor = worker(Writer("silent"), clock), worker(Writer("successor"), clock)
    silent.step()
    waited = 0.0
    while not successor.is_holder:
        pause = successor.step()
        if not successor.is_holder:
            clock.advance(pause)
            waited += pause
    assert ROLE_SECONDS <= waited <= TAKEOVER_SECONDS


def test_a_write_without_the_role_is_rolled_back(worker, database):
    early, late = SetClock(1_000.0), SetClock(1_000.0 + ROLE_SECONDS)

    def step(held):
        # the lease ends while the part is in progress
        successor.step()
        with held.write(INSTALLATION) as session:
            session.execute(_ADD, {"name": "written by holder", "value": "holder"})
        return 1.0

    holder, successor = worker(step, early), worker(Writer("successor"), late)
    holder.step()
    assert (holder.is_holder, successor.is_holder) == (False, True)
    assert writers(database) == ["successor"]


def test_a_failing_step_keeps_the_role_for_the_next_try(worker, clock):
    failures = [ValueError("once")]

    def step(held):
        if failures:
            raise failures.pop()
        return 1.0

    holder = worker(step, clock)
    with pytest.raises(ValueError, match="once"):
        holder.step()
    holder.step()
    assert holder.is_holder


def test_a_thread_works_until_it_is_stopped_and_frees_the_role(worker, database, clock):
    writer = Writer("thread")
    first = worker(writer, SystemClock())
    first.start()
    eventually(lambda: writer.count > 0, "the thread did nothing")
    first.stop()
    assert not first.is_holder
    second = worker(Writer("second"), SystemClock())
    second.step()
    assert second.is_holder


def test_the_role_of_a_killed_worker_is_taken_over(worker, database, start_program):
    killed = start_program(HOLDER, database.url, "SIGKILL")
    killed.wait()
    assert killed.stdout.readline() == "1\n"
    successor = worker(Writer("successor"), SetClock(time.time() + ROLE_SECONDS))
    successor.step()
    assert successor.is_holder
    assert writers(database) == ["successor"]


def test_a_worker_suspended_past_its_lease_writes_nothing_after_it_resumes(worker, database, start_program):
    suspended = start_program(HOLDER, database.url, "SIGSTOP")
    assert suspended.stdout.readline() == "1\n"
    process = psutil.Process(suspended.pid)
    eventually(lambda: process.status() == psutil.STATUS_STOPPED, "the holder is not suspended")
    successor = worker(Writer("successor"), SetClock(time.time() + ROLE_SECONDS))
    successor.step()
    os.kill(suspended.pid, signal.SIGCONT)
    output, _ = suspended.communicate(timeout=120)
    assert output == "lost\n"
    assert writers(database) == ["successor"]
    assert database.session().all(_FENCE) == [(2,)]

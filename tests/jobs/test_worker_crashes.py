"""Worker processes that are killed or suspended in the middle of a job."""

import os
import random
import signal
import time

import psutil
import pytest
import sqlalchemy as sa
from idempotency_fixtures import keys, make_due, new_account, put_keys

from effort import THOROUGH
from firmograph.database.leases import LEASE_SECONDS
from firmograph.jobs.scheduler import JobWorker
from firmograph.jobs.tables import duties
from firmograph.kit.clock import SetClock, SystemClock
from installation_factory import jobs_of
from server_fixtures import eventually

NAME = "forget-idempotency-keys"
_RECORDED = sa.select(duties.c.fence, duties.c.last_at).where(duties.c.name == NAME)

SUSPENDED = """
import os, signal, sys
from contextlib import contextmanager
from firmograph.bootstrap.assembly import make_installation
from firmograph.bootstrap.background import periodic_jobs
from firmograph.kit.clock import SystemClock
from firmograph.database.connection import Database
from firmograph.jobs.scheduler import JobWorker
from firmograph.settings import Settings

class Suspended(Database):
    writes = 0

    def write(self, scope):
        self.writes += 1
        # the first write inserts the job's row, the second claims it, each further one is a part
        if self.writes == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGSTOP)
        return super().write(scope)

database = Suspended(sys.argv[1])
jobs = periodic_jobs(make_installation(Settings(), database))
job = [job for job in jobs if job.name == "forget-idempotency-keys"]
JobWorker(database, SystemClock(), job, print).step()
"""


@pytest.fixture
def account_id(database):
    return new_account(database, SystemClock())


@pytest.fixture
def expired(database, account_id):
    """Return a function that inserts this many expired keys."""

    def put(count: int) -> None:
        put_keys(database, account_id, time.time() - 1, [f"{number:06}" for number in range(count)])

    return put


def worker_after_the_lease(database):
    """Return a worker of this process whose clock is past the leases of killed workers."""
    return JobWorker(database, SetClock(time.time() + LEASE_SECONDS), jobs_of(database))


@pytest.mark.slow("killed worker", "jobs", "database")
def test_another_worker_finishes_the_jobs_of_killed_ones(command, database, account_id, expired):
    put_keys(database, account_id, time.time() + 1e6, ["unexpired"])
    moments = random.Random(5)
    for _ in range(2 if THOROUGH else 1):
        expired(8_000)
        make_due(database)
        workers = [command.start("worker") for _ in range(2)]
        for worker in workers:
            assert "background" in worker.stderr.readline()
        for worker in workers:
            time.sleep(moments.uniform(0, 0.15))
            worker.kill()
            worker.communicate()
        # parts are atomic
        assert len(keys(database)) % 1_000 == 1
        last, deadline = worker_after_the_lease(database), time.monotonic() + 60
        while keys(database) != ["unexpired"]:
            # PostgreSQL may need a moment to notice that its client is dead
            assert last.step() or time.monotonic() < deadline


@pytest.fixture
def suspended(start_program, database):
    """Return a function that starts a worker which suspends itself before this write."""
    return lambda write: start_program(SUSPENDED, database.url, write)


@pytest.mark.slow("suspended worker", "jobs", "database")
@pytest.mark.parametrize(("write", "left"), [(3, 3_000), (4, 2_000), (6, 0)])
def test_a_worker_suspended_past_its_lease_changes_nothing_after_it_resumes(
    database, expired, suspended, write, left
):
    expired(3_000)
    child = suspended(write)
    eventually(lambda: psutil.Process(child.pid).status() == psutil.STATUS_STOPPED, "it did not suspend")
    assert len(keys(database)) == left
    other = worker_after_the_lease(database)
    while other.step():
        pass
    assert keys(database) == []
    recorded = database.session().one(_RECORDED)
    expired(5)

    os.kill(child.pid, signal.SIGCONT)
    assert child.communicate(timeout=60)[0].endswith(f"{NAME} lost\n")
    assert len(keys(database)) == 5
    assert database.session().one(_RECORDED) == recorded
    assert recorded[0] == 2

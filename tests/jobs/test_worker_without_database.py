import json
import signal
import threading
import time

import pytest
from idempotency_fixtures import keys, make_due, new_account, put_keys

from firmograph.database.connection import Database
from firmograph.database.schema import prepare
from firmograph.kit.clock import SystemClock
from server_fixtures import Command, eventually
from services.postgresql import PostgreSQL

pytestmark = pytest.mark.postgresql


@pytest.fixture
def postgresql():
    """A server of this test's own, which may go away."""
    server = PostgreSQL().start()
    yield server
    server.remove()


@pytest.fixture
def database(postgresql):
    database = Database(postgresql.create("firmograph"))
    prepare(database)
    yield database
    database.close()


@pytest.fixture
def worker(database, tmp_path):
    worker = Command(tmp_path, database.url).start("worker")
    # so that reading what it says ends in any case
    watch = threading.Timer(120, worker.kill)
    watch.start()
    yield worker
    watch.cancel()
    worker.kill()
    worker.communicate()


def forgotten(database):
    eventually(lambda: not keys(database), "expired keys are not forgotten")


def test_a_worker_waits_for_a_database_that_went_away_says_so_once_and_goes_on(postgresql, database, worker):
    account_id = new_account(database, SystemClock())
    put_keys(database, account_id, time.time() - 1, ["before"])
    make_due(database)
    forgotten(database)

    postgresql.stop()
    assert any("the worker is waiting for the database" in line for line in worker.stderr)
    postgresql.start()
    put_keys(database, account_id, time.time() - 1, ["after"])
    make_due(database)
    forgotten(database)

    worker.send_signal(signal.SIGTERM)
    said = [json.loads(line) for line in worker.communicate(timeout=60)[1].splitlines()]
    assert worker.returncode == 0
    # the deliverer beside the duties may tell of the same outage later
    assert {line["level"] for line in said} <= {"info", "warning"}
    events = [line["event"] for line in said]
    assert not any("the worker is waiting" in event for event in events)
    assert events.count("the worker has recovered") == 1

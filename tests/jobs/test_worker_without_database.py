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
    """Start a server that the test may stop."""
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
    # ends a read of its standard error in any case
    watchdog = threading.Timer(120, worker.kill)
    watchdog.start()
    yield worker
    watchdog.cancel()
    worker.kill()
    worker.communicate()


def wait_until_deleted(database):
    eventually(lambda: not keys(database), "expired keys are not deleted")


@pytest.mark.slow("lost database", "jobs", "database")
def test_a_worker_waits_for_a_lost_database_logs_it_once_and_resumes(postgresql, database, worker):
    account_id = new_account(database, SystemClock())
    put_keys(database, account_id, time.time() - 1, ["before"])
    make_due(database)
    wait_until_deleted(database)

    postgresql.stop()
    assert any("the database cannot be reached" in line for line in worker.stderr)
    postgresql.start()
    put_keys(database, account_id, time.time() - 1, ["after"])
    make_due(database)
    wait_until_deleted(database)

    worker.send_signal(signal.SIGTERM)
    lines = [json.loads(line) for line in worker.communicate(timeout=60)[1].splitlines()]
    assert worker.returncode == 0
    # other threads of this process meet the same outage
    assert {line["level"] for line in lines} <= {"info"}
    events = [line["event"] for line in lines]
    assert events.count("the database is reached again") == 1
    assert not any("recovered" in event for event in events)

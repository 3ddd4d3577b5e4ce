import json
import signal
import threading
import time

import pytest
import sqlalchemy as sa
from kept_keys import keys, new_account, put_keys

from firmograph.kit.clock import SystemClock
from firmograph.kit.database import Database
from firmograph.schema import prepare
from firmograph.upkeep.tables import duties
from running import Command
from services.postgresql import PostgreSQL

pytestmark = pytest.mark.postgresql

_DUE_NOW = sa.update(duties).values(due_at=0.0)


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


def wait_until_forgotten(database):
    give_up = time.monotonic() + 30
    while keys(database):
        assert time.monotonic() < give_up
        time.sleep(0.02)


def test_a_worker_waits_for_a_database_that_went_away_says_so_once_and_goes_on(
    postgresql, database, tmp_path
):
    account_id = new_account(database, SystemClock())
    put_keys(database, account_id, time.time() - 1, ["before"])
    worker = Command(tmp_path, database.url).start("worker")
    # so that reading what it says ends in any case
    watch = threading.Timer(60, worker.kill)
    watch.start()
    wait_until_forgotten(database)

    postgresql.stop()
    assert any("the worker waits for the database" in line for line in worker.stderr)
    postgresql.start()
    put_keys(database, account_id, time.time() - 1, ["after"])
    with database.write(None) as session:
        session.execute(_DUE_NOW)
    wait_until_forgotten(database)

    worker.send_signal(signal.SIGTERM)
    said = [json.loads(line) for line in worker.communicate(timeout=30)[1].splitlines()]
    watch.cancel()
    assert worker.returncode == 0
    # the deliverer beside the duties may tell of the same outage later
    assert {line["level"] for line in said} <= {"info", "warning"}
    events = [line["event"] for line in said]
    assert not any("the worker waits" in event for event in events)
    assert events.count("the worker goes on") == 1

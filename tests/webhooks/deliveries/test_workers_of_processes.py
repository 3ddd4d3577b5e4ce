"""The deliverer where it runs: in `serve`, and in `worker`."""

import msgspec
import pytest
from receivers import Answer, Receiver
from webhook_fixtures import World, headcount

from command_fixtures import InProcess
from firmograph.kit.clock import SystemClock, today
from firmograph.webhooks.types import Status
from record_factory import KEYRING
from server_fixtures import eventually


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def here(tmp_path, database_url):
    """The command line in this process."""
    return InProcess(tmp_path, database_url)


@pytest.fixture
def world(tmp_path, database_url):
    """On the database of this test's services and commands."""
    world = World(tmp_path, url=database_url)
    yield world
    world.database.close()


def test_a_server_delivers_too_and_counts_it(world, receiver, make_service):
    service = make_service(background=True, allow_insecure_webhooks=True, metrics_token="token")
    world.subscribe(url=receiver.url)
    world.detect(headcount())
    receiver.wait(1)
    expected = {
        'firmograph_webhook_attempts_total{outcome="success"} 1.0',
        "firmograph_webhook_delivered_seconds_count 1.0",
        "firmograph_webhooks_in_flight 0.0",
    }

    def metrics():
        return set(service.get("/metrics", authorization="Bearer token").text.splitlines())

    eventually(lambda: expected <= metrics(), "it was not counted")


def test_once_delivers_what_is_due_and_ends(world, receiver, command, here):
    world.clock = SystemClock()
    lane = world.subscribe(url=receiver.url)
    world.detect(headcount(day=today(world.clock).isoformat()))
    receiver.script(Answer(500))
    environment = {
        "FIRMOGRAPH_KEYS": msgspec.json.encode(KEYRING).decode(),
        "FIRMOGRAPH_ALLOW_INSECURE_WEBHOOKS": "true",
        "FIRMOGRAPH_LOG_LEVEL": "error",
    }
    done = command("worker", "--once", **environment)
    assert (done.returncode, done.stdout) == (0, "")
    assert "webhooks: 1 sent" in done.stderr.splitlines()
    world.overwrite(world.subscription(lane.token)._replace(due_at=0.0))
    assert here("worker", "--once", **environment).stderr == "webhooks: 1 sent\n"
    assert here("worker", "--once", **environment).stderr == "Nothing is due.\n"
    assert [row["status"] for row in world.audit()] == [Status.FAILED, Status.SUCCESS]


def test_settings_that_cannot_be_used_are_refused_before_anything_is_done(here):
    done = here("worker", "--once", FIRMOGRAPH_WEBHOOK_RETRY_SECONDS="soon")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "Error: FIRMOGRAPH_WEBHOOK_RETRY_SECONDS: must be up to 20 comma-separated numbers of seconds"
    )

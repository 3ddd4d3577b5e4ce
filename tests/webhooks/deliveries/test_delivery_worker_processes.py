"""Delivery workers in the processes of `serve` and `worker`."""

import msgspec
import pytest
from receivers import Answer, Receiver
from webhook_fixtures import World, headcount

from firmograph.kit.clock import SystemClock, today
from firmograph.webhooks.types import Status
from record_factory import KEYRING
from server_fixtures import eventually


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def world(tmp_path, database_url):
    """Create a world in the database of the test's services and commands."""
    world = World(tmp_path, url=database_url)
    yield world
    world.database.close()


def test_a_server_delivers_and_counts_deliveries(world, receiver, make_service):
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

    eventually(lambda: expected <= metrics(), "the delivery is not counted")


def test_once_sends_due_deliveries_and_exits(world, receiver, command, in_process):
    world.clock = SystemClock()
    subscription = world.subscribe(url=receiver.url)
    world.detect(headcount(day=today(world.clock).isoformat()))
    receiver.script(Answer(500))
    environment = {
        "FIRMOGRAPH_KEYS": msgspec.json.encode(KEYRING).decode(),
        "FIRMOGRAPH_ALLOW_INSECURE_WEBHOOKS": "true",
        "FIRMOGRAPH_LOG_LEVEL": "error",
    }
    done = command("worker", "--once", **environment)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Webhook deliveries sent: 1" in done.stderr.splitlines()
    world.overwrite(world.subscription(subscription.token)._replace(due_at=0.0))
    assert in_process("worker", "--once", **environment).stderr == "Webhook deliveries sent: 1\n"
    assert in_process("worker", "--once", **environment).stderr == "Nothing is due\n"
    assert [row["status"] for row in world.audit()] == [Status.FAILED, Status.SUCCESS]


def test_invalid_settings_are_refused_at_startup(in_process):
    done = in_process("worker", "--once", FIRMOGRAPH_WEBHOOK_RETRY_SECONDS="soon")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "Error: FIRMOGRAPH_WEBHOOK_RETRY_SECONDS: must be up to 20 comma-separated numbers of seconds"
    )

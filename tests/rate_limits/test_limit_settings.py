"""Counter backends of a served application by its settings."""

import pytest
from litestar.testing import TestClient
from structlog.testing import capture_logs

from firmograph.api.metrics import Metrics
from firmograph.bootstrap.application import create_app
from firmograph.bootstrap.assembly import make_installation
from firmograph.kit.errors import Refused
from firmograph.rate_limits.shared_memory import create_counter_file, remove_counter_file
from firmograph.settings import Settings

pytestmark = pytest.mark.any_database

SECRET = "hunter2"


@pytest.fixture
def key(world):
    world.accounts.create("Acme", "unlimited", 0)
    return world.accounts.create_key("Acme").api_key


@pytest.fixture
def serve(world, keyring):
    """Return a function that starts a server with these settings on the test's database."""
    clients = []

    def start(shared=None, **settings):
        installation = make_installation(
            Settings(**settings), world.database, keyring, world.clock, counter_file=shared
        )
        client = TestClient(create_app(installation), base_url="https://firmograph.test")
        client.metrics = installation.get(Metrics)
        clients.append(client)
        return client.__enter__()

    yield start
    for client in clients:
        client.__exit__(None, None, None)


def daily_usage(client, key):
    """Make a request and return the day's count from the response header."""
    return int(client.get("/v3/account/usage", headers={"api_key": key}).headers["x-daily-usage"])


def limit_metrics(client):
    text = client.metrics.render().decode()
    entries = (line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("firmograph_limits"))
    return {name: float(value) for name, value in entries if not name.endswith("_created")}


def with_password(url):
    return url.replace("redis://", f"redis://:{SECRET}@")


def test_servers_with_one_redis_count_together(serve, key, own_redis):
    first, second = (serve(redis_url=own_redis.url) for _ in range(2))
    assert [daily_usage(client, key) for client in (first, second, first)] == [1, 2, 3]
    assert limit_metrics(first)["firmograph_limits_shared"] == 1


def test_workers_of_one_server_count_together_without_redis(serve, key, world):
    shared = create_counter_file(world.plans)
    first, second = (serve(shared=shared) for _ in range(2))
    remove_counter_file(shared)
    assert [daily_usage(client, key) for client in (first, second, first)] == [1, 2, 3]


def test_one_of_several_servers_without_redis_admits_its_share(serve, key):
    client = serve(nodes=2)
    assert [client.get("/account/usage", headers={"api_key": key}).status_code for _ in range(3)] == [
        200,
        200,
        429,
    ]


def test_a_server_without_a_reachable_redis_serves_and_logs_it_without_the_password(serve, key, own_redis):
    own_redis.stop()
    with capture_logs() as logs:
        client = serve(redis_url=with_password(own_redis.url))
        assert daily_usage(client, key) == 1
    assert limit_metrics(client) == {
        "firmograph_limits_shared": 0,
        "firmograph_limits_judged_locally_total": 1,
    }
    assert any("Redis is unavailable" in entry["event"] for entry in logs)
    assert SECRET not in repr(logs)


def test_a_wrong_redis_password_is_logged_without_the_password(serve, key, own_redis):
    with own_redis.client() as client:
        client.config_set("requirepass", "another")
    with capture_logs() as logs:
        assert daily_usage(serve(redis_url=with_password(own_redis.url)), key) == 1
    assert any(entry.get("reason") == "AuthenticationError" for entry in logs)
    assert SECRET not in repr(logs)


@pytest.mark.parametrize(
    "url", [f"http://:{SECRET}@127.0.0.1:1", f"redis://:{SECRET}@127.0.0.1:port/0", "here"]
)
def test_an_invalid_redis_url_is_refused_without_showing_its_password(serve, url):
    with pytest.raises(Refused, match="FIRMOGRAPH_REDIS_URL") as refused:
        serve(redis_url=url)
    assert SECRET not in str(refused.value)


def test_the_counter_backend_is_logged_at_startup(serve, redis_server):
    with capture_logs() as logs:
        serve()
        serve(redis_url=redis_server.url)
    entries = [entry["event"] for entry in logs if "rate limits are counted" in entry["event"]]
    assert "counted per server, across its workers" in entries[0]
    assert "FIRMOGRAPH_REDIS_URL" in entries[0]
    assert "FIRMOGRAPH_NODES" in entries[0]
    assert entries[1:] == ["rate limits are counted in Redis, across all servers"]


def test_there_are_no_redis_metrics_without_redis(serve):
    assert limit_metrics(serve()) == {}

import limit_fixtures
import pytest

import database_fixtures
from account_fixtures import world  # noqa: F401
from firmograph.database.connection import Database
from firmograph.rate_limits import redis_counters
from services import redis_server as service


@pytest.fixture(scope="module", autouse=True)
def long_timeout():
    """Allow Redis long answer times, so that a busy machine does not cause local counting."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redis_counters, "TIMEOUT_SECONDS", 60.0)
        yield


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    """Start a Redis server shared by tests; each test uses its own key prefix."""
    if not service.installed():
        pytest.skip(service.MISSING)
    server = service.RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.remove()


@pytest.fixture
def own_redis(tmp_path):
    """Start a Redis server that the test may stop."""
    if not service.installed():
        pytest.skip(service.MISSING)
    server = service.RedisServer(tmp_path)
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="module", params=["one process", "workers", "servers"])
def backend(request, tmp_path_factory):
    """Return each of the counter backends of `limit_fixtures.py`."""
    if request.param == "one process":
        yield limit_fixtures.one_process()
    elif request.param == "workers":
        yield limit_fixtures.workers()
    else:
        database = Database(database_fixtures.fresh(tmp_path_factory.mktemp("limits")))
        yield limit_fixtures.servers(request.getfixturevalue("redis_server"), database)
        database.close()
        database_fixtures.drop(database.url)

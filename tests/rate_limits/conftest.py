import limit_fixtures
import pytest

import database_fixtures
from account_fixtures import world  # noqa: F401
from firmograph.database.connection import Database
from firmograph.rate_limits import redis_counters
from services import redis_server as service


@pytest.fixture(scope="module", autouse=True)
def patient():
    """On a busy machine a Redis that is well may answer late; only one that is away is counted without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redis_counters, "TIMEOUT_SECONDS", 60.0)
        yield


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    """A Redis that tests share; each is an installation of its own in it."""
    if not service.installed():
        pytest.skip(service.MISSING)
    server = service.RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.remove()


@pytest.fixture
def own_redis(tmp_path):
    """A Redis that the test may stop."""
    if not service.installed():
        pytest.skip(service.MISSING)
    server = service.RedisServer(tmp_path)
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="module", params=["one process", "workers", "servers"])
def place(request, tmp_path_factory):
    """Where limits are counted (`limit_fixtures.py`)."""
    if request.param == "one process":
        yield limit_fixtures.one_process()
    elif request.param == "workers":
        yield limit_fixtures.workers()
    else:
        database = Database(database_fixtures.fresh(tmp_path_factory.mktemp("limits")))
        yield limit_fixtures.servers(request.getfixturevalue("redis_server"), database)
        database.close()
        database_fixtures.drop(database.url)

import limit_places
import pytest
from account_world import World

import databases
from firmograph.accounts import redis_counters
from firmograph.kit.database import Database
from services import redis_server as service


@pytest.fixture(scope="module", autouse=True)
def patient():
    """On a busy machine a Redis that is well may answer late; only one that is away is counted without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redis_counters, "TIMEOUT_SECONDS", 60.0)
        yield


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path)
    yield world
    world.end()


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
    """Where limits are counted (`limit_places.py`)."""
    if request.param == "one process":
        yield limit_places.one_process()
    elif request.param == "workers":
        yield limit_places.workers()
    else:
        database = Database(databases.fresh(tmp_path_factory.mktemp("limits")))
        yield limit_places.servers(request.getfixturevalue("redis_server"), database)
        database.close()
        databases.drop(database.url)

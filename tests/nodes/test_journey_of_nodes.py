"""Two servers and two workers on one PostgreSQL and one Redis: one of each is killed, and nobody notices."""

import httpx
import pytest
import sqlalchemy as sa
from node_fixtures import PEOPLE, Callers, Nodes, address

from firmograph.billing.tables import idempotency_keys
from firmograph.database.connection import Database
from firmograph.jobs.tables import duties
from firmograph.kit.clock import SystemClock, today
from server_fixtures import eventually
from services import redis_server

pytestmark = pytest.mark.postgresql

_EXPIRE = sa.update(idempotency_keys).values(expires_at=1.0)
# whoever is at one has lost it, and cannot say that it was done just now
_DUE = sa.update(duties).values(due_at=0.0, lease_until=0.0, fence=duties.c.fence + 1)
_KEPT = sa.select(sa.func.count()).select_from(idempotency_keys)


@pytest.fixture
def nodes(tmp_path, database_url):
    if not redis_server.installed():
        pytest.skip(redis_server.MISSING)
    redis = redis_server.RedisServer(tmp_path)
    redis.start()
    nodes = Nodes(tmp_path, database_url, FIRMOGRAPH_REDIS_URL=redis.url)
    yield nodes
    nodes.end()
    redis.remove()


def _today():
    return today(SystemClock())


def test_a_server_and_a_worker_are_killed_and_nobody_notices(nodes):
    begun = _today()
    servers = [nodes.serve("--no-worker"), nodes.serve("--no-worker")]
    workers = [nodes.work(), nodes.work()]
    with Callers(servers, nodes.key, range(PEOPLE)) as callers:
        callers.wait_for(PEOPLE // 4)
        workers[0].kill()
        callers.wait_for(PEOPLE // 2)
        servers[0].process.kill()
    left = servers[1]

    # every person was shown and paid once, whichever server was asked, and however often
    assert callers.shown == {n: [address(n)] for n in range(PEOPLE)}
    balance, charged, paid = nodes.money()
    assert (balance.used, charged, paid) == (PEOPLE, PEOPLE, {"emails": PEOPLE})

    # the limits were counted together: what both servers answered is in the headers of the one that is left
    answer = httpx.get(f"{left.url}/account/usage", headers={"api_key": nodes.key})
    answered = callers.statuses.total() - callers.statuses[0]
    assert int(answer.headers["x-daily-usage"]) <= callers.statuses.total() + 1
    assert int(answer.headers["x-daily-usage"]) >= answered or _today() != begun

    # what the killed worker would have done the other does
    database = Database(nodes.url)
    with database.write(None) as session:
        session.execute(_EXPIRE)
        session.execute(_DUE)
    eventually(lambda: database.session().one(_KEPT) == (0,), "expired keys are not forgotten")
    database.close()

    # another server comes in the place of the killed one, and knows what was decided meanwhile
    nodes.command("suppress", "--email", address(1))
    another = nodes.serve("--no-worker")
    for server in (left, another):
        asked = {"contacts": [{"email": address(1)}, {"email": address(2)}]}
        found = httpx.post(
            f"{server.url}/v3/contacts/search", json=asked, headers={"api_key": nodes.key}
        ).json()
        gone, held = found["results"]
        assert (gone["error"]["code"], held["firstName"]) == ("COMPLIANCE_RESTRICTED", "Pat2")

"""Loss of a server and a worker out of two each, on one PostgreSQL and one Redis."""

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
# a higher fencing number: a worker in the middle of a job loses it and cannot record it as done
_DUE = sa.update(duties).values(due_at=0.0, lease_until=0.0, fence=duties.c.fence + 1)
_KEY_COUNT = sa.select(sa.func.count()).select_from(idempotency_keys)


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


@pytest.mark.slow("killed server and worker", "accounts", "billing", "jobs", "rate_limits", "serving")
def test_callers_do_not_notice_a_killed_server_and_a_killed_worker(nodes):
    start_day = _today()
    servers = [nodes.serve("--no-worker"), nodes.serve("--no-worker")]
    workers = [nodes.work(), nodes.work()]
    with Callers(servers, nodes.key, range(PEOPLE)) as callers:
        callers.wait_for(PEOPLE // 4)
        workers[0].kill()
        callers.wait_for(PEOPLE // 2)
        servers[0].process.kill()
    remaining = servers[1]

    # every contact is revealed and paid once, whichever servers were called, and however often
    assert callers.revealed == {n: [address(n)] for n in range(PEOPLE)}
    balance, charged, paid = nodes.money()
    assert (balance.used, charged, paid) == (PEOPLE, PEOPLE, {"emails": PEOPLE})

    # rate limits are shared: the remaining server's header counts the answers of both
    answer = httpx.get(f"{remaining.url}/account/usage", headers={"api_key": nodes.key})
    answered = callers.statuses.total() - callers.statuses[0]
    assert int(answer.headers["x-daily-usage"]) <= callers.statuses.total() + 1
    assert int(answer.headers["x-daily-usage"]) >= answered or _today() != start_day

    # the remaining worker takes over
    database = Database(nodes.url)
    with database.write(None) as session:
        session.execute(_EXPIRE)
        session.execute(_DUE)
    eventually(lambda: database.session().one(_KEY_COUNT) == (0,), "expired keys are not deleted")
    database.close()

    # a replacement of the killed server honours suppressions made before it started
    nodes.command("suppress", "--email", address(1))
    another = nodes.serve("--no-worker")
    for server in (remaining, another):
        body = {"contacts": [{"email": address(1)}, {"email": address(2)}]}
        answer = httpx.post(
            f"{server.url}/v3/contacts/search", json=body, headers={"api_key": nodes.key}
        ).json()
        suppressed, visible = answer["results"]
        assert (suppressed["error"]["code"], visible["firstName"]) == ("COMPLIANCE_RESTRICTED", "Pat2")

"""PostgreSQL restarts, crashes and closed connections under load."""

import json
import signal

import httpx
import pytest
from node_fixtures import PEOPLE, Callers, address

from server_fixtures import eventually

pytestmark = pytest.mark.postgresql

CLOSE_CONNECTIONS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'firmograph'"
)


def _assert_everything_is_paid_once(nodes, callers):
    assert callers.faulty_refusals == []
    assert callers.revealed == {n: [address(n)] for n in range(PEOPLE)}
    balance, charged, paid = nodes.money()
    assert (balance.used, charged, paid) == (PEOPLE, PEOPLE, {"emails": PEOPLE})


@pytest.mark.slow("stopped PostgreSQL", "database", "billing", "accounts")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["restarted", "crashed"])
def test_calls_resume_after_a_restart_and_are_charged_once(fragile_nodes, own_postgresql, how):
    server = fragile_nodes.serve()
    with Callers([server], fragile_nodes.key, range(PEOPLE), pause_from=PEOPLE // 2) as callers:
        callers.wait_for(20)
        own_postgresql.stop(how)
        callers.release()
        callers.wait_until_refused()
        own_postgresql.start()
    assert set(callers.statuses) <= {200, 409, 503}
    _assert_everything_is_paid_once(fragile_nodes, callers)


@pytest.mark.slow("closed connections", "database", "billing")
def test_repeatedly_closed_connections_lose_nothing(fragile_nodes, own_postgresql):
    server = fragile_nodes.serve()
    with (
        Callers([server], fragile_nodes.key, range(PEOPLE)) as callers,
        own_postgresql.connect("postgres") as administrator,
    ):
        for answered in range(10, PEOPLE, 10):
            callers.wait_for(answered)
            administrator.execute(CLOSE_CONNECTIONS)
    assert set(callers.statuses) <= {200, 409, 503}
    _assert_everything_is_paid_once(fragile_nodes, callers)


def test_calls_get_503_and_health_answers_while_postgresql_is_down(fragile_nodes, own_postgresql):
    server = fragile_nodes.serve()
    own_postgresql.stop()
    body = {"contacts": [{"email": address(1)}]}
    headers = {"api_key": fragile_nodes.key}
    answer = httpx.post(f"{server.url}/v3/contacts/search", json=body, headers=headers)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json() == {
        "statusCode": 503,
        "message": "The service cannot reach its database. Try again shortly",
    }
    assert httpx.get(f"{server.url}/health").status_code == 200
    own_postgresql.start()

    def first_name():
        answer = httpx.post(f"{server.url}/v3/contacts/search", json=body, headers=headers)
        return answer.status_code == 200 and answer.json()["results"][0]["firstName"]

    eventually(lambda: first_name() == "Pat1", "calls do not resume")


@pytest.mark.slow("logs of an outage", "database", "kit", "serving")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["restarted", "crashed"])
def test_an_outage_is_one_warning_and_one_line_when_it_is_over(fragile_nodes, own_postgresql, how):
    server = fragile_nodes.serve(FIRMOGRAPH_LOG_LEVEL="info")
    headers = {"api_key": fragile_nodes.key}

    def statuses():
        calls = [("search", {"email": address(1)}), ("enrich", {"email": address(2)})] * 5
        return {
            httpx.post(
                f"{server.url}/v3/contacts/{call}",
                json={"contacts": [contact], **({"reveal": ["emails"]} if call == "enrich" else {})},
                headers=headers,
            ).status_code
            for call, contact in calls
        }

    def is_back():
        return httpx.get(f"{server.url}/v3/account/usage", headers=headers).status_code in (200, 429)

    assert is_back()
    for _ in range(2):
        own_postgresql.stop(how)
        assert statuses() == {503}
        own_postgresql.start()
        eventually(lambda: all(is_back() for _ in range(20)), "calls do not resume")
    lines = [json.loads(line) for line in server.stop().splitlines() if line.startswith("{")]
    outages = [
        (line["level"], line["event"].partition(";")[0])
        for line in lines
        if line["level"] != "info" or "database" in line["event"]
    ]
    lost = ("warning", "the database cannot be reached")
    assert outages == [lost, ("info", "the database is reached again")] * 2


def test_a_command_reports_an_unreachable_postgresql_in_one_line(fragile_nodes, own_postgresql):
    own_postgresql.stop()
    done = fragile_nodes.command("account", "list")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: The database cannot be reached: connection")
    assert done.stderr.count("\n") == 1
    own_postgresql.start()

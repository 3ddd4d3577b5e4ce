"""`firmograph worker --metrics-port`: who watches it learns how the work goes."""

import re
import signal

import httpx
import pytest
from connection_flood import is_closed, silent

from firmograph.billing.plans import load_plans
from firmograph.jobs.periodic_jobs import duties_of
from server_fixtures import eventually

DONE = {
    f'firmograph_duties_total{{duty="{duty.name}",outcome="done"}} 1.0' for duty in duties_of(load_plans())
}


@pytest.fixture
def watched(command):
    """Starts a worker that is watched on a free port; its base URL, and its process."""
    started = []

    def start(*options, **environment):
        process = command.start("worker", "--metrics-port", "0", *options, **environment)
        started.append(process)
        greeting = process.stderr.readline()
        found = re.search(r"its metrics are at (http://\S+)/metrics", greeting)
        assert found, greeting + process.stderr.read()
        return found[1], process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_worker_tells_what_it_did_and_ends_in_good_order(watched):
    url, process = watched()
    eventually(lambda: set(httpx.get(f"{url}/metrics").text.splitlines()) >= DONE, "duties are counted")
    shown = httpx.get(f"{url}/metrics").text
    assert "firmograph_webhooks_in_flight 0.0" in shown
    assert "firmograph_webhook_delivered_seconds_count 0.0" in shown
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_it_answers_nothing_else_and_says_so_as_a_server_does(watched):
    url, _ = watched()
    assert httpx.get(f"{url}/v3/account/usage").status_code == 404
    wrong = httpx.post(f"{url}/metrics", content=b"x")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, OPTIONS")


def test_a_token_is_asked_for_where_one_is_set(watched):
    url, _ = watched(FIRMOGRAPH_METRICS_TOKEN="known")
    assert httpx.get(f"{url}/metrics").status_code == 401
    assert httpx.get(f"{url}/metrics", headers={"authorization": "Bearer known"}).status_code == 200


def test_silent_connections_keep_nobody_out(watched):
    url, _ = watched(FIRMOGRAPH_MAX_CONNECTIONS="10")
    with silent(int(url.rpartition(":")[2]), 30) as connections:
        shown = httpx.get(f"{url}/metrics").text
        assert sum(map(is_closed, connections)) >= 20
    assert 'firmograph_connections_closed_total{reason="bound"}' in shown


def test_a_port_that_is_taken_is_refused_by_the_name_of_its_option(watched, command):
    url, _ = watched()
    port = url.rpartition(":")[2]
    refused = command("worker", "--metrics-port", port)
    told = f"Error: Port {port} on 127.0.0.1 is in use; choose another with --metrics-port\n"
    assert (refused.returncode, refused.stderr) == (1, told)


def test_a_worker_that_ends_at_once_is_not_watched(command):
    refused = command("worker", "--once", "--metrics-port", "0")
    assert refused.returncode == 2
    assert "a worker that ends at once is not watched" in refused.stderr

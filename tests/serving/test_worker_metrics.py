"""`firmograph worker --metrics-port`: metrics for monitoring the worker."""

import re
import signal
import socket

import httpx
import pytest
from connection_flood import is_closed, silent

from installation_factory import JOB_NAMES
from server_fixtures import eventually

pytestmark = pytest.mark.any_database

DONE = {f'firmograph_duties_total{{duty="{name}",outcome="done"}} 1.0' for name in JOB_NAMES}


@pytest.fixture
def start_worker(command):
    """Return a function that starts a worker with metrics on a free port; it returns the base URL and the process."""
    started = []

    def start(*options, **environment):
        process = command.start("worker", "--metrics-port", "0", *options, **environment)
        started.append(process)
        greeting = process.stderr.readline()
        found = re.search(r"metrics at (http://\S+)/metrics", greeting)
        assert found, greeting + process.stderr.read()
        return found[1], process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_worker_shows_its_work_and_ends_cleanly(start_worker):
    url, process = start_worker()
    eventually(lambda: set(httpx.get(f"{url}/metrics").text.splitlines()) >= DONE, "duties are counted")
    metrics = httpx.get(f"{url}/metrics").text
    assert "firmograph_webhooks_in_flight 0.0" in metrics
    assert "firmograph_webhook_delivered_seconds_count 0.0" in metrics
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0


@pytest.mark.any_database
def test_other_paths_and_methods_are_refused_as_by_a_server(start_worker):
    url, _ = start_worker()
    assert httpx.get(f"{url}/v3/account/usage").status_code == 404
    wrong = httpx.post(f"{url}/metrics", content=b"x")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, OPTIONS")


@pytest.mark.any_database
def test_a_configured_token_is_required(start_worker):
    url, _ = start_worker(FIRMOGRAPH_METRICS_TOKEN="known")
    assert httpx.get(f"{url}/metrics").status_code == 401
    assert httpx.get(f"{url}/metrics", headers={"authorization": "Bearer known"}).status_code == 200


@pytest.mark.any_database
def test_silent_connections_block_nobody(start_worker):
    url, _ = start_worker(FIRMOGRAPH_MAX_CONNECTIONS="10")
    with silent(int(url.rpartition(":")[2]), 30) as connections:
        metrics = httpx.get(f"{url}/metrics").text
        assert sum(map(is_closed, connections)) >= 20
    assert 'firmograph_connections_closed_total{reason="bound"}' in metrics


@pytest.mark.any_database
def test_a_port_in_use_is_refused_by_the_name_of_its_option(in_process):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        refused = in_process("worker", "--metrics-port", port)
    message = f"Error: Port {port} on 127.0.0.1 is in use; choose another with --metrics-port\n"
    assert (refused.returncode, refused.stderr) == (1, message)


@pytest.mark.any_database
def test_a_worker_with_once_has_no_metrics(in_process):
    refused = in_process("worker", "--once", "--metrics-port", "0")
    assert refused.returncode == 2
    assert "a worker with --once has no metrics" in refused.stderr

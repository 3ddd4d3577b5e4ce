"""Several workers of one `serve`: answers, restarts, shared counts and a common end."""

import os
import signal
import socket
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from worker_processes import ForkedWorkers, Workers, eventually, is_living_worker, kill

import database_fixtures
from command_fixtures import InProcess
from firmograph.kit.clock import SystemClock, today
from server_fixtures import free_port

PLANS = """
[plans.little]
minute = 1_000
day = 60
second = 0
"""


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory):
    """Return a server for the tests that leave it with two workers."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "plans.toml").write_text(PLANS)
    command = ForkedWorkers(folder, database_fixtures.fresh(folder))
    command.environment["FIRMOGRAPH_PLANS_FILE"] = str(folder / "plans.toml")
    server = Workers(command, free_port())
    server.wait_until_ready()
    yield server
    server.stop()
    database_fixtures.drop(command.database_url)


@pytest.fixture
def private(tmp_path):
    """Return the folder of the data that the processes share."""
    folder = tmp_path / "private"
    folder.mkdir()
    return folder


def serve(command, private):
    """Serve until the test has ended the server, or has ended itself."""
    server = Workers(command, free_port(), TMPDIR=str(private))
    server.wait_until_ready()
    yield server
    if server.process.poll() is None:
        server.stop()


@pytest.fixture
def own_server(tmp_path, database_url, private):
    """Return a server for a test that ends it."""
    yield from serve(ForkedWorkers(tmp_path, database_url), private)


@pytest.fixture
def spawning_server(in_process, private):
    """Return a server whose workers Python starts."""
    yield from serve(in_process, private)


def key(server, plan="unlimited", name="Acme"):
    server.command.json("account", "create", name, "--plan", plan)
    return server.command.json("key", "create", "--account", name)["apiKey"]


def requests_counted(server):
    """Return the number of answers about /health in /metrics, of all workers."""
    text = httpx.get(f"{server.url}/metrics").text
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return sum(
        sample.value
        for sample in samples
        if sample.name == "firmograph_requests_total" and sample.labels["endpoint"] == "get_health"
    )


def ask_health(server, times):
    for _ in range(times):
        assert httpx.get(f"{server.url}/health").status_code == 200


@pytest.mark.slow("ended worker", "serving")
@pytest.mark.any_database
def test_a_killed_worker_is_restarted_and_nobody_is_refused(shared_server):
    first, second = shared_server.wait_until_each_answers()
    failures, done = [], threading.Event()

    def ask():
        while not done.is_set():
            try:
                assert httpx.get(f"{shared_server.url}/health").status_code == 200
            except httpx.TransportError as error:
                failures.append(error)

    with ThreadPoolExecutor(2) as threads:
        asking = [threads.submit(ask) for _ in range(2)]
        try:
            kill(first)
            workers = shared_server.wait_until_each_answers()
        finally:
            done.set()
        assert [one.exception() for one in asking] == [None, None]
    assert second in workers
    assert first not in workers
    # each of the two threads may have lost the connection it had to the killed worker
    assert len(failures) <= 2
    assert not [error for error in failures if isinstance(error, httpx.ConnectError)]


@pytest.mark.slow("ended worker", "serving", "api.metrics")
@pytest.mark.any_database
def test_metrics_count_the_answers_of_all_workers_and_do_not_fall_when_one_is_killed(shared_server):
    first, second = workers = shared_server.wait_until_each_answers()
    before = requests_counted(shared_server)
    with shared_server.only(first, workers):
        ask_health(shared_server, 3)
    with shared_server.only(second, workers):
        ask_health(shared_server, 4)
        assert requests_counted(shared_server) == before + 7
    with shared_server.only(first, workers):
        assert requests_counted(shared_server) == before + 7
    kill(first)
    assert requests_counted(shared_server) >= before + 7
    workers = shared_server.wait_until_each_answers()
    (successor,) = [worker for worker in workers if worker != second]
    with shared_server.only(successor, workers):
        now = requests_counted(shared_server)
        assert now >= before + 7
        ask_health(shared_server, 2)
        assert requests_counted(shared_server) == now + 2


def test_a_limit_is_exact_over_all_workers(shared_server):
    workers = shared_server.wait_until_each_answers()

    def ask(times, api_key):
        with httpx.Client(base_url=shared_server.url, headers={"api_key": api_key}) as client:
            return Counter(client.post("/v3/contacts/search").status_code for _ in range(times))

    def count(name):
        api_key = key(shared_server, "little", name)
        for worker in workers:
            with shared_server.only(worker, workers):
                assert ask(5, api_key) == {400: 5}
        with ThreadPoolExecutor(6) as threads:
            return sum(threads.map(ask, [20] * 6, [api_key] * 6), Counter())

    day, counted = today(SystemClock()), count("Acme")
    if today(SystemClock()) != day:
        # counted again from midnight on
        counted = count("Again")
    assert counted == {400: 50, 429: 70}


@pytest.mark.slow("ended worker", "serving")
@pytest.mark.any_database
def test_a_signal_ends_all_once_the_current_request_is_answered(own_server, private):
    workers = own_server.wait_until_each_answers()
    body = b'{"contacts":[{"email":"ann@example.com"}]}'
    headers = {"api_key": key(own_server), "content-length": str(len(body))}
    assert list(private.iterdir())
    with closing(HTTPConnection("127.0.0.1", own_server.port, timeout=60)) as connection:
        connection.request("GET", "/health")
        assert connection.getresponse().read()
        connection.request("POST", "/v3/contacts/search", body[:-1], headers)
        own_server.process.send_signal(signal.SIGTERM)
        eventually(lambda: not listens(own_server.port), "the server goes on listening")
        connection.send(body[-1:])
        assert connection.getresponse().status == 200
    log = own_server.process.communicate(timeout=120)[1]
    assert own_server.process.returncode == 0
    assert not [worker for worker in workers if worker.is_running()]
    assert "Traceback" not in log
    assert log.count(f"http://127.0.0.1:{own_server.port} with 2 workers") == 1
    assert not list(private.iterdir())


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
    except (ConnectionRefusedError, ConnectionResetError):
        return False
    return True


@pytest.mark.slow("ended worker", "serving")
@pytest.mark.any_database
def test_workers_end_with_a_killed_parent_and_leave_nothing_behind(spawning_server, private):
    workers = spawning_server.wait_until_each_answers()
    spawning_server.process.kill()
    eventually(lambda: not any(map(is_living_worker, workers)), "workers go on without their parent")
    assert not listens(spawning_server.port)
    eventually(lambda: not list(private.iterdir()), "something is left behind")


@pytest.mark.slow("ended worker", "serving")
@pytest.mark.any_database
def test_a_terminated_worker_is_replaced(shared_server):
    first, second = shared_server.wait_until_each_answers()
    os.kill(first.pid, signal.SIGTERM)
    eventually(lambda: first not in shared_server.processes(), "a worker did not end")
    workers = shared_server.wait_until_each_answers()
    assert second in workers


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"FIRMOGRAPH_TRUSTED_PROXIES": "here"}, "FIRMOGRAPH_TRUSTED_PROXIES: here is not an address"),
        ({"FIRMOGRAPH_PLANS_FILE": "/nowhere.toml"}, "/nowhere.toml"),
    ],
)
def test_an_invalid_configuration_is_reported_once_for_any_number_of_workers(
    tmp_path, database_url, environment, message
):
    command = InProcess(tmp_path, database_url)
    results = [command("serve", "--port", "0", "--workers", number, **environment) for number in ("1", "2")]
    for done in results:
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert message in done.stderr
    assert results[0].stderr == results[1].stderr

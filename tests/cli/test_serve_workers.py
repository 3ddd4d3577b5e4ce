"""Several workers of one `serve`: they answer, are started again, count together and end together."""

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
from worker_processes import Workers, eventually, is_living_worker, kill

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
def lasting(tmp_path_factory):
    """A server for the tests that leave it with two workers."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "plans.toml").write_text(PLANS)
    command = InProcess(folder, database_fixtures.fresh(folder))
    command.environment["FIRMOGRAPH_PLANS_FILE"] = str(folder / "plans.toml")
    server = Workers(command, free_port())
    server.wait_until_ready()
    yield server
    server.stop()
    database_fixtures.drop(command.database_url)


@pytest.fixture
def private(tmp_path):
    """Where the processes keep what they share."""
    folder = tmp_path / "private"
    folder.mkdir()
    return folder


@pytest.fixture
def ending(command, private):
    """A server for a test that ends it."""
    server = Workers(command, free_port(), TMPDIR=str(private))
    server.wait_until_ready()
    yield server
    if server.process.poll() is None:
        server.stop()


def key(server, plan="unlimited", name="Acme"):
    server.command.json("account", "create", name, "--plan", plan)
    return server.command.json("key", "create", "--account", name)["apiKey"]


def requests_counted(server):
    """What /metrics says was answered of /health, by whichever worker."""
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


def test_a_killed_worker_is_started_again_and_nobody_is_refused(lasting):
    first, second = lasting.wait_until_each_answers()
    failures, done = [], threading.Event()

    def ask():
        while not done.is_set():
            try:
                assert httpx.get(f"{lasting.url}/health").status_code == 200
            except httpx.TransportError as error:
                failures.append(error)

    with ThreadPoolExecutor(2) as threads:
        asking = [threads.submit(ask) for _ in range(2)]
        try:
            kill(first)
            workers = lasting.wait_until_each_answers()
        finally:
            done.set()
        assert [one.exception() for one in asking] == [None, None]
    assert second in workers
    assert first not in workers
    # each of the two threads may have lost the connection it had to the killed worker
    assert len(failures) <= 2
    assert not [error for error in failures if isinstance(error, httpx.ConnectError)]


def test_metrics_count_what_all_workers_answered_and_do_not_fall_when_one_is_killed(lasting):
    first, second = workers = lasting.wait_until_each_answers()
    before = requests_counted(lasting)
    with lasting.only(first, workers):
        ask_health(lasting, 3)
    with lasting.only(second, workers):
        ask_health(lasting, 4)
        assert requests_counted(lasting) == before + 7
    with lasting.only(first, workers):
        assert requests_counted(lasting) == before + 7
    kill(first)
    assert requests_counted(lasting) >= before + 7
    workers = lasting.wait_until_each_answers()
    (successor,) = [worker for worker in workers if worker != second]
    with lasting.only(successor, workers):
        now = requests_counted(lasting)
        assert now >= before + 7
        ask_health(lasting, 2)
        assert requests_counted(lasting) == now + 2


def test_a_limit_is_exact_over_all_workers(lasting):
    workers = lasting.wait_until_each_answers()

    def ask(times, api_key):
        with httpx.Client(base_url=lasting.url, headers={"api_key": api_key}) as client:
            return Counter(client.post("/v3/contacts/search").status_code for _ in range(times))

    def count(name):
        api_key = key(lasting, "little", name)
        for worker in workers:
            with lasting.only(worker, workers):
                assert ask(5, api_key) == {400: 5}
        with ThreadPoolExecutor(6) as threads:
            return sum(threads.map(ask, [20] * 6, [api_key] * 6), Counter())

    day, counted = today(SystemClock()), count("Acme")
    if today(SystemClock()) != day:
        # it was counted anew from midnight on
        counted = count("Again")
    assert counted == {400: 50, 429: 70}


def test_a_signal_ends_all_once_the_request_at_hand_is_answered(ending, private):
    workers = ending.wait_until_each_answers()
    body = b'{"contacts":[{"email":"ann@example.com"}]}'
    headers = {"api_key": key(ending), "content-length": str(len(body))}
    assert list(private.iterdir())
    with closing(HTTPConnection("127.0.0.1", ending.port, timeout=60)) as connection:
        connection.request("GET", "/health")
        assert connection.getresponse().read()
        connection.request("POST", "/v3/contacts/search", body[:-1], headers)
        ending.process.send_signal(signal.SIGTERM)
        eventually(lambda: not listens(ending.port), "the server goes on listening")
        connection.send(body[-1:])
        assert connection.getresponse().status == 200
    log = ending.process.communicate(timeout=120)[1]
    assert ending.process.returncode == 0
    assert not [worker for worker in workers if worker.is_running()]
    assert "Traceback" not in log
    assert log.count(f"http://127.0.0.1:{ending.port} with 2 workers") == 1
    assert not list(private.iterdir())


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
    except (ConnectionRefusedError, ConnectionResetError):
        return False
    return True


def test_workers_end_with_a_parent_that_is_killed_and_leave_nothing_behind(ending, private):
    workers = ending.wait_until_each_answers()
    ending.process.kill()
    eventually(lambda: not any(map(is_living_worker, workers)), "workers go on without their parent")
    assert not listens(ending.port)
    eventually(lambda: not list(private.iterdir()), "something is left behind")


def test_a_worker_that_is_asked_to_end_is_replaced(lasting):
    first, second = lasting.wait_until_each_answers()
    os.kill(first.pid, signal.SIGTERM)
    eventually(lambda: first not in lasting.processes(), "a worker did not end")
    workers = lasting.wait_until_each_answers()
    assert second in workers


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"FIRMOGRAPH_TRUSTED_PROXIES": "here"}, "FIRMOGRAPH_TRUSTED_PROXIES: here is not an address"),
        ({"FIRMOGRAPH_PLANS_FILE": "/nowhere.toml"}, "/nowhere.toml"),
    ],
)
def test_what_cannot_work_is_told_once_whatever_the_number_of_workers(
    tmp_path, database_url, environment, said
):
    command = InProcess(tmp_path, database_url)
    told = [command("serve", "--port", "0", "--workers", number, **environment) for number in ("1", "2")]
    for done in told:
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert said in done.stderr
    assert told[0].stderr == told[1].stderr

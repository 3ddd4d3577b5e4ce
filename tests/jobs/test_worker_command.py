import re
import signal
import time

import pytest
from idempotency_fixtures import keys, new_account, put_keys

from effort import THOROUGH
from firmograph.kit.clock import SystemClock
from installation_factory import JOB_NAMES
from server_fixtures import Server, eventually, free_port


def completed_duties(err: str) -> list[str]:
    """Return the duties that a worker reports as done, in plain words."""
    return sorted(re.findall(r"^([A-Z].+): done$", err, re.MULTILINE))


def test_once_does_all_due_duties_and_exits(command, in_process, database):
    put_keys(database, new_account(database, SystemClock()), time.time() - 1, ["expired"])
    first = command("worker", "--once")
    assert (first.returncode, first.stdout, len(completed_duties(first.stderr))) == (0, "", len(JOB_NAMES))
    assert keys(database) == []
    # the shortest period is ten minutes
    second = in_process("worker", "--once")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "Nothing is due\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_worker_cleanly(command, number):
    for _ in range(50 if THOROUGH else 1):
        worker = command.start("worker")
        assert worker.stderr.readline() == "Firmograph works in the background\n"
        worker.send_signal(number)
        out, _ = worker.communicate(timeout=60)
        assert (worker.returncode, out) == (0, "")


def test_help_names_the_server_option_and_allows_any_number_of_workers(in_process):
    result = in_process("worker", "--help")
    assert result.returncode == 0
    for text in ("firmograph serve", "--no-worker", "--once", "any number of"):
        assert text in result.stdout.replace("\n", " ")


def test_a_server_does_the_duties_and_counts_them(make_service):
    service = make_service(background=True, metrics_token="token")
    expected = {f'firmograph_duties_total{{duty="{name}",outcome="done"}} 1.0' for name in JOB_NAMES}

    def metrics():
        return set(service.get("/metrics", authorization="Bearer token").text.splitlines())

    eventually(lambda: expected <= metrics(), "completed duties are not counted")


def test_a_server_without_worker_leaves_the_duties_to_others(command, in_process):
    server = Server(command, free_port(), "--no-worker")
    try:
        server.wait_until_ready()
        assert len(completed_duties(in_process("worker", "--once").stderr)) == len(JOB_NAMES)
    finally:
        server.stop()
    assert server.process.returncode == 0

import re
import signal
import time

import pytest
from idempotency_fixtures import keys, new_account, put_keys

from command_fixtures import InProcess
from firmograph.billing.plans import load_plans
from firmograph.jobs.periodic_jobs import duties_of
from firmograph.kit.clock import SystemClock
from server_fixtures import Server, eventually, free_port

NAMES = sorted(duty.name for duty in duties_of(load_plans()))


def ended(err: str) -> list[str]:
    """The duties that a worker says it has done."""
    return sorted(re.findall(r"^(\S+): done$", err, re.MULTILINE))


@pytest.fixture
def in_process(tmp_path, database_url):
    return InProcess(tmp_path, database_url)


def test_once_does_what_is_due_and_ends(command, in_process, database):
    put_keys(database, new_account(database, SystemClock()), time.time() - 1, ["expired"])
    first = command("worker", "--once")
    assert (first.returncode, first.stdout, ended(first.stderr)) == (0, "", NAMES)
    assert keys(database) == []
    # the shortest period is ten minutes
    second = in_process("worker", "--once")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "Nothing is due.\n")


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_worker_in_good_order(command, ending):
    worker = command.start("worker")
    assert worker.stderr.readline() == "Firmograph works in the background; end it with Ctrl-C\n"
    worker.send_signal(ending)
    out, _ = worker.communicate(timeout=60)
    assert (worker.returncode, out) == (0, "")


def test_help_tells_who_else_does_the_work_and_that_there_may_be_many(in_process):
    shown = in_process("worker", "--help")
    assert shown.returncode == 0
    for told in ("firmograph serve", "--no-worker", "--once", "any number of"):
        assert told in shown.stdout.replace("\n", " ")


def test_a_server_does_the_work_too_and_counts_it(make_service):
    service = make_service(background=True, metrics_token="token")
    counts = {f'firmograph_duties_total{{duty="{name}",outcome="done"}} 1.0' for name in NAMES}

    def counted():
        return set(service.get("/metrics", authorization="Bearer token").text.splitlines())

    eventually(lambda: counts <= counted(), "what is done is not counted")


def test_a_server_without_worker_leaves_the_work_to_others(command, in_process):
    server = Server(command, free_port(), "--no-worker")
    try:
        server.wait_until_ready()
        assert ended(in_process("worker", "--once").stderr) == NAMES
    finally:
        server.stop()
    assert server.process.returncode == 0

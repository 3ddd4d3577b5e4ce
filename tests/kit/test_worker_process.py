"""Worker processes: results, failures, and their end in every circumstance."""

import os
import signal
import threading
from multiprocessing import get_context

import process_work
import pytest

from firmograph.kit import worker_process as worker_process_module
from firmograph.kit.worker_process import ProcessFailed, ProcessStopped, run_in_process, worker_process
from server_fixtures import eventually

pytestmark = pytest.mark.any_database


@pytest.fixture(scope="module", autouse=True)
def forked_workers():
    """Start processes as the package does, and not as in other tests."""


def run(work, *arguments, **options):
    return run_in_process(work, *arguments, name="test", **options)


@pytest.fixture
def quick(monkeypatch):
    """Fork processes from one that has loaded the module, where how they start makes no difference."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["process_work"])
    monkeypatch.setattr(worker_process_module, "get_context", lambda method: context)


def test_the_result_and_the_progress_of_the_work_come_back():
    progress = []
    assert run(process_work.add, 2, 3, on_progress=lambda *values: progress.append(values)) == 5
    assert progress == [("adding", 2), ("adding", 3)]


@pytest.mark.usefixtures("quick")
def test_a_process_yields_priority_as_requested():
    assert run(process_work.nice_value, niceness=3) == os.nice(0) + 3


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (process_work.fail_by_data, "ValueError"),
        (process_work.fail_by_machine, "OSError: No space left on device"),
        (process_work.die, "the process died, perhaps for lack of memory"),
    ],
)
def test_a_failure_has_a_reason_without_personal_data(work, reason):
    with pytest.raises(ProcessFailed) as failed:
        run(work)
    assert str(failed.value) == reason


def test_a_failing_process_logs_the_type_of_its_error_only(capfd):
    with worker_process(process_work.fail_when_streaming, name="test") as receiving, pytest.raises(EOFError):
        receiving.recv()
    logged = capfd.readouterr().err
    assert '"process": "test"' in logged
    assert '"error": "ValueError"' in logged
    assert "ann@" not in logged


def note_process(act):
    """Return a list, and a receiver of progress that notes the process of endless work there and acts on it."""
    pids = []

    def on_progress(pid):
        pids.append(pid)
        act(pid)

    return pids, on_progress


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("suspended", [False, True])
def test_stopping_ends_the_process_even_while_it_is_suspended(suspended):
    pids, on_progress = note_process(lambda pid: suspended and os.kill(pid, signal.SIGSTOP))
    with pytest.raises(ProcessStopped):
        run(process_work.work_forever, on_progress=on_progress, is_stopping=lambda: bool(pids))
    assert not process_work.is_alive(pids[0])


@pytest.mark.usefixtures("quick")
def test_a_killed_process_is_a_failure():
    _, on_progress = note_process(lambda pid: os.kill(pid, signal.SIGKILL))
    with pytest.raises(ProcessFailed, match="died"):
        run(process_work.work_forever, on_progress=on_progress)


def test_a_process_can_be_terminated_though_its_parent_blocks_the_signal():
    outcome = []

    def with_blocked_signals():
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        _, on_progress = note_process(lambda pid: os.kill(pid, signal.SIGTERM))
        try:
            run(process_work.work_forever, on_progress=on_progress)
        except ProcessFailed as failed:
            outcome.append(str(failed))

    thread = threading.Thread(target=with_blocked_signals)
    thread.start()
    thread.join(60)
    assert outcome == ["the process died, perhaps for lack of memory"]


PARENT = """
import sys
sys.path.append(sys.argv[1])
import process_work
from firmograph.kit.worker_process import run_in_process

if __name__ == "__main__":
    run_in_process(process_work.work_forever, name="test", on_progress=lambda pid: print(pid, flush=True))
"""


def test_a_process_ends_with_its_killed_parent(start_program, tmp_path):
    folder = os.path.dirname(process_work.__file__)
    parent = start_program(PARENT, folder)
    child = int(parent.stdout.readline())
    assert process_work.is_alive(child)
    parent.kill()
    eventually(lambda: not process_work.is_alive(child), "the worker process outlives its parent")

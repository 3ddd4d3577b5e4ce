"""Restarts of failing workers: less and less often, or none if they fail at the start."""

import signal
import subprocess
from pathlib import Path

import pytest
from worker_processes import FORK_WORKERS, eventually

from firmograph.serving.supervisor import restart_delay
from process_server import LoadedProcess

pytestmark = pytest.mark.any_database


PROGRAM = f"""{FORK_WORKERS}
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from supervisor_program import main
main(*sys.argv[1:])
"""


def supervise(name, folder):
    pipe = subprocess.PIPE
    return LoadedProcess(["-c", PROGRAM, name, folder], stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize(
    ("failures", "seconds"), [(0, 0.0), (1, 0.0), (2, 0.5), (3, 1.0), (5, 4.0), (8, 30.0), (5_000, 30.0)]
)
def test_repeated_failures_delay_the_next_start_more_and_more(failures, seconds):
    assert restart_delay(failures) == seconds


def test_workers_that_cannot_start_at_all_end_the_server(tmp_path):
    with supervise("fails", tmp_path) as process:
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 1
    assert output == "The workers fail immediately after their start; see the log above\n"


def test_the_reason_of_a_worker_is_printed_once(tmp_path):
    with supervise("refuses", tmp_path) as process:
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 1
    assert output in ("worker 0 will not\n", "worker 1 will not\n")


def test_failing_workers_are_restarted_once_one_has_answered(tmp_path):
    with supervise("answers_once", tmp_path) as process:
        eventually((tmp_path / "stays").exists, "the worker was given up")
        process.send_signal(signal.SIGTERM)
        output, log = process.communicate(timeout=120)
    assert (process.returncode, output) == (0, "")
    assert log.count("a worker ended and will be restarted") == 3

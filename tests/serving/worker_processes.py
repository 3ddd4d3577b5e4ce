"""`firmograph serve --workers 2` for tests: its processes, paused to see which one answers."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import psutil

from command_fixtures import InProcess
from process_server import LoadedProcess
from server_fixtures import Server, eventually

FORK_WORKERS = """
import os, signal
from multiprocessing import get_context
from firmograph.serving import supervisor

def forget_signals():
    # a new process has none of its parent's handlers
    signal.set_wakeup_fd(-1)
    for number in supervisor._BLOCKED:
        signal.signal(number, signal.SIG_DFL)

os.register_at_fork(after_in_child=forget_signals)
supervisor._SPAWN = get_context("fork")
"""
"""Start of a program whose supervisors fork their workers, which saves most of the time of a start."""

_COMMAND = f"""{FORK_WORKERS}
from firmograph.cli.main import run
run()
"""


class ForkedWorkers(InProcess):
    """Commands in this process; those that `start` starts fork their workers.

    One test of test_serve_workers.py shows that Python started for a worker does the same.
    """

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return LoadedProcess(
            ["-c", _COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


class Workers(Server):
    """A server with two workers."""

    def __init__(self, command, port, *options, **environment):
        super().__init__(command, port, "--workers", "2", *options, **environment)
        if "--certificate" in options:
            self.url = f"https://127.0.0.1:{port}"

    def processes(self) -> list[psutil.Process]:
        """Return the living workers."""
        children = psutil.Process(self.process.pid).children()
        return [child for child in children if is_living_worker(child)]

    def wait_until_each_answers(self, verify=True) -> list[psutil.Process]:
        """Wait until each of the two workers answers alone; return them."""
        eventually(lambda: len(self.processes()) == 2, "there are no two workers")
        for worker in (workers := self.processes()):
            with self.only(worker, workers):
                # a starting worker accepts the connection later
                assert self.answers(verify)
        return workers

    def answers(self, verify=True) -> bool:
        return httpx.get(f"{self.url}/health", verify=verify).status_code == 200

    @contextmanager
    def only(self, worker: psutil.Process, workers: list[psutil.Process]) -> Iterator[None]:
        """Pause all other workers."""
        others = [other for other in workers if other != worker]
        for other in others:
            os.kill(other.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for other in others:
                os.kill(other.pid, signal.SIGCONT)


def kill(worker: psutil.Process) -> None:
    """Kill a worker and wait until it is gone, which takes a moment."""
    worker.kill()
    eventually(lambda: not is_living_worker(worker), "a worker is not killed")


def is_living_worker(child: psutil.Process) -> bool:
    try:
        # the supervisor's other child tracks what processes share
        helps = any("resource_tracker" in word for word in child.cmdline())
        return child.status() != psutil.STATUS_ZOMBIE and not helps
    except (psutil.ZombieProcess, psutil.NoSuchProcess):
        # it ended between the two queries
        return False

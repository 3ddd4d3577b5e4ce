"""`firmograph serve --workers 2` for tests: its processes, paused to see which one answers."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import psutil

from server_fixtures import Server, eventually


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
        return child.status() != psutil.STATUS_ZOMBIE and "--multiprocessing-fork" in child.cmdline()
    except (psutil.ZombieProcess, psutil.NoSuchProcess):
        # it ended between the two queries
        return False

"""Server processes, each on a core that the load client does not use."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.request import urlopen

import psutil

from bench.workspace import environment

START_SECONDS = 60


@cache
def cores() -> tuple[int, int]:
    """The core of the servers and that of the client, as they were free at first. Raises when there is only one."""
    held = sorted(os.sched_getaffinity(0))
    if len(held) < 2:
        raise RuntimeError("The bench needs two cores: one for the server, one for the client")
    return held[0], held[1]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """This process keeps to one core for a while."""
    held = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, held)


class Server:
    """A running server."""

    def __init__(self, name: str, port: int, process: "subprocess.Popen[bytes]") -> None:
        self.name = name
        self.port = port
        self.pid = process.pid
        self._process = psutil.Process(process.pid)

    def cpu_seconds(self) -> float:
        times = self._process.cpu_times()
        return float(times.user + times.system)


@contextmanager
def serving(name: str, command: Sequence[str], port: int, log: Path) -> Iterator[Server]:
    """A server that answers `/health`, on the first core; ended with the block."""
    core = cores()[0]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            env=environment(),
            stdout=out,
            stderr=out,
            preexec_fn=lambda: os.sched_setaffinity(0, {core}),
        )
        try:
            _wait(name, process, port, log)
            yield Server(name, port, process)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(name: str, process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            with urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"The server {name} did not start: {log.read_text()[-2000:]}")

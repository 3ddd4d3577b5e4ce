"""Server processes, each on a core that the load client does not use."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.request import urlopen

import psutil

from bench.workspace import environment

START_SECONDS = 60
INDEX_SECONDS = 600


@cache
def cores() -> tuple[int, int]:
    """Return the core of the servers and that of the client, as free at first. Raises if there is only one."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        raise RuntimeError("The bench needs two cores: one for the server, one for the client")
    return allowed[0], allowed[1]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Keep this process to one core during the block."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


@contextmanager
def bound_to(places: set[int], *others: int) -> Iterator[None]:
    """Bind this process and trees of others to some cores during the block."""
    allowed = os.sched_getaffinity(0)
    _place(places, others)
    try:
        yield
    finally:
        _place(allowed, others)


def _place(places: set[int], roots: Sequence[int]) -> None:
    for pid in (0, *(process.pid for root in roots for process in _tree(root))):
        # a process that has ended needs no core
        with suppress(ProcessLookupError):
            os.sched_setaffinity(pid, places)


def _tree(pid: int) -> list[psutil.Process]:
    root = psutil.Process(pid)
    return [root, *root.children(recursive=True)]


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process and its children, including ended ones that were waited for."""
    used = 0.0
    for process in _tree(pid):
        with suppress(psutil.NoSuchProcess):
            used += sum(process.cpu_times()[:4])
    return used


class Server:
    """A running server."""

    def __init__(self, name: str, port: int, process: "subprocess.Popen[bytes]") -> None:
        self.name = name
        self.port = port
        self.pid = process.pid

    def cpu_seconds(self) -> float:
        """Return the processor time of all its processes."""
        return cpu_seconds(self.pid)

    def search(self) -> dict[str, Any]:
        """Return the progress of its search index."""
        with urlopen(f"http://127.0.0.1:{self.port}/health", timeout=10) as answer:
            search: dict[str, Any] = json.loads(answer.read())["search"]
            return search

    def wait_for_search(self) -> None:
        """Wait until its search index is loaded, so that loading takes no time from the measurement."""
        until = time.monotonic() + INDEX_SECONDS
        while self.search()["state"] != "ready":
            if time.monotonic() > until:
                raise RuntimeError(f"The search index of {self.name} is not ready")
            time.sleep(0.1)


@contextmanager
def serving(
    name: str,
    command: Sequence[str],
    port: int,
    log: Path,
    places: set[int] | None = None,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Server]:
    """Run a server that answers `/health`, on the first core unless others are given; it ends with the block."""
    places = places or {cores()[0]}
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            env=environment(**settings),
            stdout=out,
            stderr=out,
            preexec_fn=lambda: os.sched_setaffinity(0, places),
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

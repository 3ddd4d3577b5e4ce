"""Memory of a server, and waits of its other callers, while clients send requests without waiting for answers.

The same with bodies that a caller with a key sends half. An earlier state of the sources can be measured in turn.
"""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from bench.client import load, request
from bench.pipelining_report import Attack, HalfSent, PipeliningReport, PipeliningRound
from bench.servers import Server, cores, free_port, on_core, serving
from bench.workspace import PLAN, ROOT, Workspace
from firmograph.kit.clock import SystemClock

CONNECTIONS = 40
BODIES = 1_000
BODY_BYTES = 900_000
ROUNDS = 3
_CREDITS = 100_000_000
_WARM_SECONDS = 1.0
_BACK_SECONDS = 60.0
_BACK_BYTES = 32 << 20
"""Memory above that before an attack at which it counts as given back."""

NOW = "now"
BEFORE = "before"


class _Kind(NamedTuple):
    title: str
    connections: int
    is_endless: bool


KINDS = (
    _Kind(f"{CONNECTIONS} that wait for each answer", CONNECTIONS, is_endless=False),
    _Kind(f"{CONNECTIONS} that do not wait", CONNECTIONS, is_endless=True),
    _Kind("1 that does not wait", 1, is_endless=True),
)


def measure(
    workspace: Workspace, seconds: float, before: Path | None, started: Callable[[str], object]
) -> PipeliningReport:
    """Measure these sources and, if given, those in the folder `before`, in turn."""
    sources = {BEFORE: before, NOW: ROOT / "src"} if before else {NOW: ROOT / "src"}
    account = f"bench-{SystemClock().seconds():.3f}"
    workspace.run("account", "create", account, "--plan", PLAN, "--credits", str(_CREDITS))
    key: str = workspace.run("key", "create", "--account", account)["apiKey"]
    rounds: list[PipeliningRound] = []
    with on_core(cores()[1]):
        for number in range(ROUNDS):
            for name, folder in sources.items():
                attacks = []
                for kind in KINDS:
                    started(f"round {number + 1}, {name}: {kind.title}")
                    with _server(workspace, name, folder) as server:
                        attacks.append(_attack(server, kind, key, seconds))
                started(f"round {number + 1}, {name}: half-sent bodies")
                with _server(workspace, name, folder) as server:
                    rounds.append(PipeliningRound(name, attacks, _half_sent(server, key)))
    return PipeliningReport(rounds, CONNECTIONS, BODIES, BODY_BYTES, seconds)


@contextmanager
def _server(workspace: Workspace, name: str, sources: Path | None) -> Iterator[Server]:
    port = free_port()
    command = [
        "env",
        f"PYTHONPATH={sources}",
        *workspace.command("serve", "--port", str(port), "--no-worker"),
    ]
    with serving(name, command, port, workspace.folder / f"pipelining-{name}.log") as server:
        server.wait_for_search()
        yield server


def _attack(server: Server, kind: _Kind, key: str, seconds: float) -> Attack:
    search = [request("/v3/contacts/search", b'{"contacts":[{"email":"nobody@example.com"}]}', key)]
    load([server.port], search, _WARM_SECONDS)
    before = _memory(server)
    command = Workspace.python("bench.pipelining_attack", str(server.port), str(kind.connections))
    process = subprocess.Popen([*command, *(["--endless"] if kind.is_endless else [])])
    try:
        load([server.port], search, _WARM_SECONDS)
        measured = load([server.port], search, seconds)
        if process.poll() is not None:
            raise RuntimeError("The attack ended by itself")
    finally:
        process.kill()
        process.wait()
    # without an answer all callers have waited throughout
    waits = sorted(measured.waits) or [seconds]
    return Attack(
        kind.title,
        measured.per_second,
        waits[len(waits) // 2] * 1_000,
        waits[int(len(waits) * 0.99)] * 1_000,
        _highest_memory(server) - before,
        _seconds_until_back(server, before),
    )


def _half_sent(server: Server, key: str) -> HalfSent:
    """Send the header and, some time later, half of many bodies, as far as the server takes them."""
    load([server.port], _health(), _WARM_SECONDS)
    before = _memory(server)
    head, half = request("/v3/contacts/search", b"", key), b" " * (BODY_BYTES // 2)
    head = head.replace(b"content-length: 0", b"content-length: %d" % BODY_BYTES)
    with ExitStack() as opened:
        connections = []
        for _ in range(BODIES):
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            connection.sendall(head)
            connection.setblocking(False)
            connections.append(connection)
        unsent = dict.fromkeys(connections, half)
        for _ in range(20):
            for connection, rest in unsent.items():
                with suppress(BlockingIOError):
                    while rest:
                        rest = rest[connection.send(rest) :]
                unsent[connection] = rest
            # the server answers after it has read what it reads
            load([server.port], _health(), 0.1, callers=1)
        waits = sorted(load([server.port], _health(), 1.0).waits)
        held = _memory(server) - before
    return HalfSent(held, waits[int(len(waits) * 0.99)] * 1_000, _seconds_until_back(server, before))


def _health() -> list[bytes]:
    return [b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n"]


def _memory(server: Server) -> int:
    found: int = psutil.Process(server.pid).memory_info().rss
    return found


def _highest_memory(server: Server) -> int:
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1_024


def _seconds_until_back(server: Server, before: int) -> float | None:
    """Return the seconds until the memory is back, or None."""
    began = time.monotonic()
    while (passed := time.monotonic() - began) < _BACK_SECONDS:
        if _memory(server) - before < _BACK_BYTES:
            return passed
        time.sleep(0.1)
    return None

"""Receivers of webhooks in a process of their own: each has a port, so each is a separate origin.

They answer at once, after a while, or accept and never answer, as set by `Receivers` at run time. A receiver costs
some 20 microseconds a request, so that the sender is what is measured.
"""

import argparse
import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast
from urllib.request import urlopen

import msgspec
import uvloop

from bench.servers import cpu_seconds
from bench.workspace import Workspace, environment

Arrival = tuple[float, bytes]
"""Wall clock time of its complete arrival, and its body."""

_ANSWER = (
    b"HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 107\r\n\r\n"
    b'{"received":true,"timestamp":"2026-01-01T00:00:00.000Z","webhookId":"%s"}'
)
_ID = slice(7, 43)
"""Id at the beginning of a payload."""
_START_SECONDS = 20


class _State:
    def __init__(self) -> None:
        self.delay = 0.0
        self.silent = 0
        self.arrivals: list[Arrival] = []


class _Receiver(asyncio.Protocol):
    def __init__(self, state: _State, number: int) -> None:
        self._state = state
        self._number = number
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        data = self._buffer + data
        while (head := data.find(b"\r\n\r\n") + 4) > 3:
            if data.startswith(b"GET"):
                self._transport.write(_command(self._state, data.split(b" ", 2)[1].decode()))
                self._transport.close()
                return
            at = data.lower().find(b"content-length:", 0, head) + 15
            end = head + int(data[at : data.index(b"\r", at)])
            if len(data) < end:
                break
            self._received(data[head:end])
            data = data[end:]
        self._buffer = data

    def _received(self, body: bytes) -> None:
        state = self._state
        if state.silent and self._number % state.silent == 0:
            return
        state.arrivals.append((time.time(), body))
        answer = _ANSWER % body[_ID]
        if state.delay:
            asyncio.get_running_loop().call_later(state.delay, self._transport.write, answer)
        else:
            self._transport.write(answer)


def _command(state: _State, path: str) -> bytes:
    """Answer a command of the bench: arrivals, their number, or another behaviour."""
    match path.split("/")[1:]:
        case ["taken"]:
            body = msgspec.msgpack.encode(state.arrivals)
            state.arrivals = []
        case ["count"]:
            body = msgspec.msgpack.encode(len(state.arrivals))
        case ["behave", silent, delay]:
            state.silent, state.delay, body = int(silent), float(delay), b""
        case _:
            raise ValueError(path)
    return b"HTTP/1.0 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)


async def _serve(count: int) -> None:
    loop, state = asyncio.get_running_loop(), _State()
    ports = []
    for number in range(count):
        server = await loop.create_server(
            lambda number=number: _Receiver(state, number),  # type: ignore[misc]
            "127.0.0.1",
            0,
            backlog=4096,
        )
        ports.append(server.sockets[0].getsockname()[1])
    print(" ".join(map(str, ports)), flush=True)
    await asyncio.Event().wait()


class Receivers:
    """The receivers, controlled by the bench."""

    def __init__(self, ports: list[int], process: "subprocess.Popen[str]") -> None:
        self.urls = [f"http://127.0.0.1:{port}/hook" for port in ports]
        self._control = f"http://127.0.0.1:{ports[0]}"
        self._process = process

    def behave(self, *, silent: int = 0, delay: float = 0.0) -> None:
        """Answer after so many seconds from now on; each `silent`-th receiver, beginning with the first, never."""
        self._ask(f"behave/{silent}/{delay}")

    def count(self) -> int:
        """Return the number of arrivals since they were last taken; those at silent receivers do not count."""
        return int(msgspec.msgpack.decode(self._ask("count")))

    def wait_for(self, count: int, seconds: float, lives: Callable[[], bool]) -> None:
        until = time.monotonic() + seconds
        while (arrived := self.count()) < count:
            if time.monotonic() > until or not lives():
                raise RuntimeError(f"Only {arrived:,} of {count:,} deliveries arrived")
            time.sleep(0.1)

    def take_arrivals(self) -> list[Arrival]:
        return msgspec.msgpack.decode(self._ask("taken"), type=list[Arrival])

    def cpu_seconds(self) -> float:
        return cpu_seconds(self._process.pid)

    def _ask(self, what: str) -> bytes:
        with urlopen(f"{self._control}/{what}", timeout=60) as answer:
            body: bytes = answer.read()
            return body


@contextmanager
def receiving(count: int) -> Iterator[Receivers]:
    """Run so many receivers, ended with the block."""
    command = Workspace.python("bench.receivers", str(count))
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Receivers([int(port) for port in process.stdout.readline().split()], process)
        finally:
            process.terminate()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    sys.exit(uvloop.run(_serve(parser.parse_args().count)))

"""A lean load client: keep-alive connections with one request after another on each.

It spends about 15 microseconds on a request, so one core of it keeps any server of this kind busy. Answers are cut at
their declared length; every status but 200, 201 and 204 ends the run, and now and then an answer is kept for checks.
"""

import gc
import select
import socket
import time
from array import array
from collections.abc import Sequence
from typing import NamedTuple

CONNECTIONS = 8
_READ = 1 << 18
_KEEP_EVERY = 101


class Load(NamedTuple):
    answered: int
    seconds: float
    samples: list[tuple[int, bytes]]
    """Numbers of some requests, with the bodies of their answers."""
    waits: "array[float]"
    """Seconds from each request to its answer."""

    @property
    def per_second(self) -> float:
        return self.answered / self.seconds


class Refused(RuntimeError):
    """An answer of the server other than a 200, 201 or 204."""


def request(path: str, body: bytes, api_key: str, method: str = "POST") -> bytes:
    """Return the bytes of one request."""
    head = (
        f"{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        f"api_key: {api_key}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def load(
    ports: Sequence[int],
    requests: Sequence[bytes],
    seconds: float,
    start: int = 0,
    callers: int = CONNECTIONS,
) -> Load:
    """Send `requests` in turn for `seconds`, beginning at number `start` and again after the last.

    Each of the `callers` has a connection; these are spread evenly over the servers at `ports`.
    """
    connections = [Connection(ports[number % len(ports)]) for number in range(callers)]
    poll = select.epoll()
    by_number = {connection.number: connection for connection in connections}
    for connection in connections:
        poll.register(connection.number, select.EPOLLIN)
    gc.collect()
    gc.disable()
    try:
        return _drive(poll, by_number, requests, seconds, start)
    finally:
        gc.enable()
        poll.close()
        for connection in connections:
            connection.socket.close()


def ask(port: int, requests: Sequence[bytes]) -> list[bytes]:
    """Return the bodies of the answers to all requests, each sent once."""
    connection, bodies = Connection(port), []
    connection.socket.setblocking(True)
    for place, one in enumerate(requests):
        connection.send(one, place)
        while (body := connection.take()) is None:
            pass
        bodies.append(body)
    connection.socket.close()
    return bodies


def timed(port: int, one: bytes, times: int) -> tuple[list[float], bytes]:
    """Return the seconds of several equal requests, one after another, and the last answer's body."""
    connection, body, seconds = Connection(port), b"", []
    connection.socket.setblocking(True)
    for _ in range(times):
        began = time.perf_counter()
        connection.send(one, 0)
        while (answer := connection.take()) is None:
            pass
        seconds.append(time.perf_counter() - began)
        body = answer
    connection.socket.close()
    return seconds, body


def _drive(
    poll: "select.epoll",
    connections: dict[int, "Connection"],
    requests: Sequence[bytes],
    seconds: float,
    start: int,
) -> Load:
    place, answered, samples, waiting = start, 0, list[tuple[int, bytes]](), len(connections)
    waits = array("d")
    began = time.perf_counter()
    deadline, ended = began + seconds, 0.0
    for connection in connections.values():
        connection.since = time.perf_counter()
        connection.send(requests[place % len(requests)], place % len(requests))
        place += 1
    while waiting:
        for number, _ in poll.poll():
            connection = connections[number]
            number, body = connection.number, connection.take()
            if body is None:
                continue
            now = time.perf_counter()
            if now <= deadline:
                answered += 1
                ended = now
                waits.append(now - connection.since)
                if answered % _KEEP_EVERY == 0:
                    samples.append((number, body))
                at = place % len(requests)
                connection.since = now
                connection.send(requests[at], at)
                place += 1
            else:
                waiting -= 1
    return Load(answered, max(ended - began, 1e-9), samples, waits)


class Connection:
    __slots__ = ("_end", "_head", "_parts", "_size", "asked", "number", "since", "socket")

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.number = self.socket.fileno()
        self._parts: list[bytes] = []
        self._size = 0
        self._head = 0
        self._end = -1
        self.since = 0.0

    def send(self, message: bytes, place: int) -> None:
        self.number = place
        sent = self.socket.send(message)
        if sent < len(message):
            self.socket.setblocking(True)
            self.socket.sendall(message[sent:])
            self.socket.setblocking(False)

    def take(self) -> bytes | None:
        """Read on; return the body once the answer is complete."""
        data = self.socket.recv(_READ)
        if not data:
            raise Refused("The server closed a connection")
        self._parts.append(data)
        self._size += len(data)
        if self._end < 0:
            self._read_head()
        if self._end < 0 or self._size < self._end:
            return None
        body = (data if len(self._parts) == 1 else b"".join(self._parts))[self._head :]
        self._parts.clear()
        self._size, self._end = 0, -1
        return body

    def _read_head(self) -> None:
        if len(self._parts) > 1:
            self._parts[:] = [b"".join(self._parts)]
        data = self._parts[0]
        head = data.find(b"\r\n\r\n")
        if head < 0:
            return
        if not data.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201", b"HTTP/1.1 204")):
            raise Refused(data[:1000].decode("utf-8", "replace"))
        at = data.find(b"content-length: ", 0, head) + 16
        self._head = head + 4
        # an answer without content has no length
        self._end = self._head + (int(data[at : data.index(b"\r", at)]) if at >= 16 else 0)

"""A receiver of webhooks: an HTTP server in a thread with scripted answers.

`Receiver(answer)` gives this answer to every request; `receiver.script(answer, answer, ...)` sets those of the next
requests. An answer is an `Answer`, or a function from `Received` to an `Answer`.
"""

import asyncio
import json
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple


class Received(NamedTuple):
    """A received request."""

    head: bytes
    """Request line and headers without the empty line."""
    body: bytes
    connection: int
    """Number of the connection, from 1."""
    at: float
    """Wall-clock time at the end of the request."""

    @property
    def method(self) -> str:
        return self.head.split(b" ", 1)[0].decode()

    @property
    def target(self) -> str:
        return self.head.split(b" ", 2)[1].decode()

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers by their lower-case names."""
        lines = [line.partition(":") for line in self.head.decode("latin-1").split("\r\n")[1:]]
        return {name.lower(): value.strip() for name, _, value in lines}

    @property
    def json(self):
        return json.loads(self.body)


class Answer(NamedTuple):
    """The answer to a request, by default an empty 200."""

    status: int = 200
    body: bytes = b""
    headers: tuple[str, ...] = ()
    """Additional header lines such as `Retry-After: 3`."""
    delay: float = 0
    """Seconds before the answer."""
    until_release: bool = False
    """Whether the answer waits for `Receiver.release`."""
    silent: bool = False
    """Whether only `raw` is sent and the connection stays open until the receiver ends."""
    raw: bytes | None = None
    """Bytes in place of status, headers and body; the connection is closed after them."""
    endless: bytes = b""
    """Bytes repeated after the answer until the client disconnects."""
    pause: float = 0
    """Seconds before each repetition of `endless`."""
    cut: bool = False
    """Whether the connection is closed after the answer."""

    def encoded(self) -> bytes:
        if self.raw is not None:
            return self.raw
        length = () if self.endless else (f"Content-Length: {len(self.body)}",)
        lines = [f"HTTP/1.1 {self.status} Scripted", *self.headers, *length]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


Script = Answer | Callable[[Received], Answer]

SILENT = Answer(silent=True)


def acknowledged(received: Received) -> Answer:
    """Return the recommended answer of a receiver (docs/reference/webhooks.md#acknowledgement)."""
    answer = {"received": True, "timestamp": "2026-01-01T00:00:00.000Z", "webhookId": received.json.get("id")}
    return Answer(201, json.dumps(answer).encode(), ("Content-Type: application/json",))


class Receiver:
    """The receiver; it stops at `close` or as a context manager."""

    def __init__(
        self,
        answer: Script = acknowledged,
        *,
        tls: ssl.SSLContext | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.answer = answer
        self.received: list[Received] = []
        self.connections = 0
        """Number of connections so far."""
        self.waiting = 0
        """Number of unanswered requests."""
        self.most_waiting = 0
        self._script: deque[Script] = deque()
        self._changed = threading.Condition()
        self._tls = tls
        self._host = host
        self.port = port
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    @property
    def origin(self) -> str:
        return f"{'https' if self._tls else 'http'}://{self._host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/hook"

    def script(self, *answers: Script) -> None:
        """Set the answers of the next requests, one each; later requests get `answer`."""
        self._script.extend(answers)

    def release(self) -> None:
        """Send all answers that wait for a release."""
        self._loop.call_soon_threadsafe(self._release)

    def wait(self, count: int, seconds: float = 60) -> list[Received]:
        """Wait for this many requests and return them."""
        self.until(lambda: len(self.received) >= count, seconds)
        return self.received[:count]

    def until(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        """Wait for a condition that changes with requests, connections or their ends."""
        with self._changed:
            assert self._changed.wait_for(condition, seconds), (
                f"{len(self.received)} requests, {self.waiting} waiting"
            )

    def close(self) -> None:
        if self._thread.is_alive():
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stopped.set)
            self._thread.join(60)
            assert not self._thread.is_alive()

    def __enter__(self) -> "Receiver":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        self._released = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        server = await asyncio.start_server(
            self._connection, self._host, self.port, ssl=self._tls, backlog=4096, limit=1 << 22
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopped.wait()
        server.close()
        for writer in self._writers:
            writer.transport.abort()

    def _release(self) -> None:
        self._released.set()
        self._released = asyncio.Event()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        self._writers.add(writer)
        self._notify()
        with suppress(OSError, EOFError):
            while await self._exchange(number, reader, writer):
                pass
        self._writers.discard(writer)
        with suppress(OSError, RuntimeError):
            writer.close()
        self._notify()

    async def _exchange(
        self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; return whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n"))[:-4]
        received = Received(head, b"", number, 0)
        body = await reader.readexactly(int(received.headers.get("content-length", "0")))
        received = Received(head, body, number, time.time())
        script = self._script.popleft() if self._script else self.answer
        answer = script if isinstance(script, Answer) else script(received)
        self.waiting += 1
        self.most_waiting = max(self.most_waiting, self.waiting)
        self.received.append(received)
        self._notify()
        try:
            await self._wait_until_due(answer)
            if not answer.silent:
                return await _write(answer, writer)
            writer.write(answer.raw or b"")
            return bool(await reader.read())
        finally:
            self.waiting -= 1
            self._notify()

    async def _wait_until_due(self, answer: Answer) -> None:
        if answer.until_release:
            await self._released.wait()
        if answer.delay:
            await asyncio.sleep(answer.delay)

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()


async def _write(answer: Answer, writer: asyncio.StreamWriter) -> bool:
    writer.write(answer.encoded())
    await writer.drain()
    while answer.endless:
        await asyncio.sleep(answer.pause)
        writer.write(answer.endless)
        await writer.drain()
    return answer.raw is None and not answer.cut

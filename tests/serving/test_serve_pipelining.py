"""What a server keeps of requests that arrive before the answer to an earlier one, and of bodies that nobody reads."""

import asyncio
import socket
import ssl
from contextlib import nullcontext

import pytest
import uvicorn
import uvloop

from firmograph.api.metrics import Metrics
from firmograph.serving.bounded_server import BoundedServer
from firmograph.serving.listener import open_listener
from firmograph.serving.protocol import UVICORN_OPTIONS
from firmograph.settings import Settings
from services.proxy import Certificate

pytestmark = pytest.mark.no_database

BUFFER = 1 << 16
"""Size of each buffer of the system, so that what is sent is what the server has taken."""
KEPT = 1 << 20
"""Above one read and the buffers of the system and of TLS, below what two reads a request would keep."""

GET = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"
SHORTEST = b"GET / HTTP/1.1\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc"
CHUNKED = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


class App:
    """Application that reads each body, `/slow` when it is released, and answers."""

    def __init__(self):
        self.received = asyncio.Semaphore(0)
        self.released = asyncio.Event()
        self.bodies = []

    async def __call__(self, scope, receive, send):
        self.received.release()
        if scope["path"] == "/slow":
            await self.released.wait()
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message["body"]
            more = message["more_body"]
        self.bodies.append(len(body))
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


class Serving:
    def __init__(self, certificate=None):
        self.certificate = certificate

    async def __aenter__(self):
        self.app = App()
        context = None
        if self.certificate:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(self.certificate.chain, self.certificate.key)
        factory = (lambda *_: context) if context else None
        config = uvicorn.Config(
            self.app, lifespan="off", date_header=False, ssl_context_factory=factory, **UVICORN_OPTIONS
        )
        listener = open_listener("127.0.0.1", 0)
        # connections have the size of their listener's buffer
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self.server = BoundedServer(config, Settings(), Metrics("1"))
        # signals belong to the test
        self.server.capture_signals = nullcontext
        self.task = asyncio.create_task(self.server.serve([listener]))
        self.port = listener.getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.app.released.set()
        self.server.should_exit = self.server.force_exit = True
        await self.task

    async def connect(self):
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        raw.setblocking(False)
        await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", self.port))
        trusted = self.certificate.trusted if self.certificate else None
        name = "localhost" if trusted else None
        reader, writer = await asyncio.open_connection(sock=raw, ssl=trusted, server_hostname=name)
        writer.transport.set_write_buffer_limits(0)
        return reader, writer

    @property
    def waiting(self):
        """Return how many requests wait on each connection."""
        return [len(each.pipeline) for each in self.server.server_state.connections]


def run(main):
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main())


class Flood:
    """Client that sends requests without end, as fast as the server takes them."""

    def __init__(self, writer, one):
        self.writer = writer
        self.block = one * (8_192 // len(one))
        self.sent = 0
        self.task = asyncio.create_task(self._send())

    async def _send(self):
        while True:
            self.writer.write(self.block)
            await self.writer.drain()
            self.sent += len(self.block)

    async def stop(self):
        self.task.cancel()
        await asyncio.wait([self.task])
        self.writer.transport.abort()


@pytest.mark.parametrize("one", [GET, SHORTEST, POST, CHUNKED], ids=["get", "shortest", "post", "chunked"])
@pytest.mark.parametrize("over_https", [False, True])
def test_a_connection_is_read_only_as_fast_as_its_requests_are_answered(tmp_path, over_https, one):
    async def main():
        async with Serving(Certificate(tmp_path) if over_https else None) as serving:
            reader, writer = await serving.connect()
            flood = Flood(writer, one)
            for answered in range(1, 400):
                assert await reader.readexactly(len(ANSWER)) == ANSWER
                assert flood.sent - answered * len(one) < KEPT
            await flood.stop()

    run(main)


SLOW = b"GET /slow HTTP/1.1\r\n\r\n"
BEGINNINGS = {
    "get": SLOW,
    "body": SLOW + b"POST / HTTP/1.1\r\ncontent-length: 1\r\n\r\nx",
    "chunks": SLOW + b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    "trailer": SLOW + b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\na: b\r\n\r\n",
}


@pytest.mark.parametrize("beginning", BEGINNINGS.values(), ids=BEGINNINGS)
@pytest.mark.parametrize("count", [150, 2_000])
def test_few_requests_wait_on_a_connection_and_all_are_answered(beginning, count):
    async def main():
        async with Serving() as serving:
            reader, writer = await serving.connect()
            writer.write(beginning + SHORTEST * count)
            await serving.app.received.acquire()
            assert max(serving.waiting) <= 16
            serving.app.released.set()
            answers = beginning.count(b"HTTP/1.1") + count
            assert await reader.readexactly(len(ANSWER) * answers) == ANSWER * answers
            writer.close()

    run(main)


@pytest.mark.parametrize("size", [1, 255, 256, 4_096, 70_000, 1_000_000])
def test_requests_with_bodies_that_arrive_together_are_answered_whole(size):
    async def main():
        async with Serving() as serving:
            reader, writer = await serving.connect()
            body = b"\r\n\r\n" * (size // 4) + b"x" * (size % 4)
            post = b"POST / HTTP/1.1\r\ncontent-length: %d\r\n\r\n%s" % (size, body)
            writer.write((post + GET) * 3)
            assert await reader.readexactly(len(ANSWER) * 6) == ANSWER * 6
            assert serving.app.bodies == [size, 0] * 3
            writer.close()

    run(main)


@pytest.mark.parametrize("before", [b"", GET], ids=["alone", "behind another"])
@pytest.mark.parametrize("length", [b"content-length: 9000000", b"transfer-encoding: chunked"])
def test_a_body_is_read_only_as_fast_as_the_application_asks_for_it(length, before):
    async def main():
        async with Serving() as serving:
            reader, writer = await serving.connect()
            writer.write(before + b"POST /slow HTTP/1.1\r\n%s\r\n\r\n" % length)
            for _ in range(2 if before else 1):
                await serving.app.received.acquire()
            size = 9_000_000
            writer.write((b"%x\r\n" % size if b"chunked" in length else b"") + b" " * size)
            # another connection is served while this one is not read
            other, asking = await serving.connect()
            for _ in range(20):
                asking.write(GET)
                assert await other.readexactly(len(ANSWER)) == ANSWER
            assert size - writer.transport.get_write_buffer_size() < KEPT
            serving.app.released.set()
            writer.write(b"\r\n0\r\n\r\n" if b"chunked" in length else b"")
            answers = 2 if before else 1
            assert await reader.readexactly(len(ANSWER) * answers) == ANSWER * answers
            assert max(serving.app.bodies) == size
            for each in (writer, asking):
                each.close()

    run(main)


def test_little_of_a_body_arrives_with_its_header():
    async def main():
        async with Serving() as serving:
            reader, writer = await serving.connect()
            writer.write(b"POST /slow HTTP/1.1\r\ncontent-length: 50000\r\n\r\n" + b" " * 50_000)
            await serving.app.received.acquire()
            (connection,) = serving.server.server_state.connections
            assert len(connection.cycle.body) <= 1 << 14
            serving.app.released.set()
            assert await reader.readexactly(len(ANSWER)) == ANSWER
            assert serving.app.bodies == [50_000]
            writer.close()

    run(main)

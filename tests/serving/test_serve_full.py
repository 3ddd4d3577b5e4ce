"""A server whose connections are all taken: by callers at work, and by clients that do not read their answers."""

import asyncio
import json
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

ASKING = b"GET %s HTTP/1.1\r\nhost: x\r\n\r\n"


class Slow:
    """Application that delays `/slow` until released; `/large` answers with more than any buffer holds."""

    def __init__(self):
        self.received = asyncio.Semaphore(0)
        self.released = asyncio.Event()

    async def __call__(self, scope, receive, send):
        if scope["path"] == "/slow":
            self.received.release()
            await self.released.wait()
        body = b"a" * (20_000_000 if scope["path"] == "/large" else 2)
        headers = [(b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class Serving:
    """A server with three connections at most, all of which one address may have."""

    def __init__(self, certificate=None):
        self.certificate = certificate
        self.meters = Metrics("1")

    async def __aenter__(self):
        self.app = Slow()
        context = None
        if self.certificate:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(self.certificate.chain, self.certificate.key)
        factory = (lambda *_: context) if context else None
        config = uvicorn.Config(self.app, lifespan="off", ssl_context_factory=factory, **UVICORN_OPTIONS)
        self.listener = open_listener("127.0.0.1", 0)
        self.server = BoundedServer(config, Settings(max_connections=3), self.meters)
        # signals belong to the test
        self.server.capture_signals = nullcontext
        self.task = asyncio.create_task(self.server.serve([self.listener]))
        self.port = self.listener.getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.app.released.set()
        self.server.should_exit = self.server.force_exit = True
        await self.task

    async def ask(self, path):
        """Send a request on a connection of its own."""
        trusted = self.certificate.trusted if self.certificate else None
        name = "localhost" if trusted else None
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=trusted, server_hostname=name
        )
        writer.write(ASKING % path)
        return reader, writer

    def counted(self, reason):
        return (
            f'firmograph_connections_closed_total{{reason="{reason}"}} 1.0' in self.meters.render().decode()
        )


def run(main):
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


async def head(reader):
    first, *fields = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
    return int(first.split()[1]), dict(field.split(": ", 1) for field in fields)


@pytest.mark.parametrize("over_https", [False, True])
def test_if_all_are_at_work_a_new_caller_is_503_and_the_others_are_answered(tmp_path, over_https):
    async def main():
        async with Serving(Certificate(tmp_path) if over_https else None) as serving:
            working = [await serving.ask(b"/slow") for _ in range(3)]
            for _ in working:
                await serving.app.received.acquire()
            reader, writer = await serving.ask(b"/")
            status, fields = await head(reader)
            body = json.loads(await reader.readexactly(int(fields["content-length"])))
            assert (status, body["statusCode"]) == (503, 503)
            assert (fields["retry-after"], fields["connection"]) == ("1", "close")
            writer.close()
            serving.app.released.set()
            assert [(await head(reader))[0] for reader, _ in working] == [200] * 3
            assert serving.counted("full")
            for _, writer in working:
                writer.close()

    run(main())


def test_a_client_that_does_not_read_its_answers_is_not_at_work():
    async def main():
        async with Serving() as serving:
            loop = asyncio.get_running_loop()
            unread = []
            for _ in range(3):
                connection = socket.create_connection(("127.0.0.1", serving.port))
                connection.setblocking(False)
                await loop.sock_sendall(connection, ASKING % b"/large" + ASKING % b"/")
                # the server has begun to answer
                assert await loop.sock_recv(connection, 1) == b"H"
                unread.append(connection)
            reader, writer = await serving.ask(b"/")
            assert (await head(reader))[0] == 200
            assert serving.counted("bound")
            for each in [*unread, writer]:
                each.close()

    run(main())

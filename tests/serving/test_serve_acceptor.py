"""Workers that share a listening socket by turns and keep listening whatever clients do."""

import asyncio
import errno
import socket

import pytest
import uvloop

from firmograph.serving import acceptor
from firmograph.serving.acceptor import Acceptor
from firmograph.serving.bounds import make_bounds
from firmograph.serving.certificates import Certificate
from firmograph.serving.connections import Connections
from firmograph.serving.listener import open_listener
from firmograph.settings import Settings
from services.proxy import Certificate as Files

pytestmark = pytest.mark.no_database


class Greeting(asyncio.Protocol):
    """A protocol that sends a worker's name and ends."""

    def __init__(self, name):
        self.name = name

    def connection_made(self, transport):
        transport.write(self.name)
        transport.close()


class Full(socket.socket):
    """A listening socket in a process that has too many files open at first."""

    refused = 0

    def accept(self):
        if self.refused < 2:
            self.refused += 1
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


@pytest.fixture
def listener():
    with open_listener("127.0.0.1", 0) as listener:
        yield listener


def acceptor_for(listener, name, context=None):
    """Return an acceptor whose connections get this greeting."""
    connections = Connections(make_bounds(Settings()), lambda host: True, lambda reason: None)
    return Acceptor(listener, lambda connection: Greeting(name), context, connections)


def run(main):
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


def client(listener):
    return socket.create_connection(listener.getsockname(), timeout=60)


async def read(connection):
    with connection:
        return await asyncio.to_thread(connection.recv, 100)


def test_waiting_connections_are_shared_between_workers(listener):
    async def main():
        clients = [client(listener) for _ in range(20)]
        workers = [acceptor_for(listener.dup(), name) for name in (b"a", b"b")]
        names = [await read(one) for one in clients]
        for worker in workers:
            worker.close()
        return names

    names = run(main())
    assert names.count(b"a") == names.count(b"b") == 10


def test_a_closed_acceptor_accepts_nothing_more(listener):
    async def main():
        closed, other = (acceptor_for(listener.dup(), name) for name in (b"a", b"b"))
        closed.close()
        names = {await read(client(listener)) for _ in range(10)}
        other.close()
        await closed.wait_closed()
        return names

    assert run(main()) == {b"b"}


def test_clients_that_do_not_speak_tls_do_not_end_the_listening(listener, tmp_path):
    files = Files(tmp_path)
    context = Certificate(str(files.chain), str(files.key)).context

    async def main():
        worker = acceptor_for(listener.dup(), b"a", context)
        with client(listener) as plain, client(listener):
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
            await asyncio.to_thread(plain.recv, 100)
            host, port = listener.getsockname()
            reader, writer = await asyncio.open_connection(
                host, port, ssl=files.trusted, server_hostname="localhost"
            )
            greeting = await reader.read()
            writer.close()
            # the second client has sent nothing and is not waited for
            worker.close()
            await worker.wait_closed()
            return greeting

    assert run(main()) == b"a"


def test_connections_wait_while_the_system_has_no_room(listener, monkeypatch):
    monkeypatch.setattr(acceptor, "_PAUSE_SECONDS", 0.001)

    async def main():
        full = Full(fileno=listener.dup().detach())
        worker = acceptor_for(full, b"a")
        greeting = await read(client(listener))
        worker.close()
        return greeting, full.refused

    assert run(main()) == (b"a", 2)

"""Accepting connections one at a time, so that processes on one listening socket share them.

The event loop's own server accepts all that are in the queue at once: of a proxy that opens its connections together,
one worker would get every one and keep it.
"""

import asyncio
import errno
import socket
import ssl
from collections.abc import Callable

import structlog

from firmograph.cli.serving.connections import Connection, Connections

log = structlog.get_logger("firmograph.serve")

_REST_SECONDS = 1.0
"""How long no connection is accepted when the system has no room for one."""


class Acceptor:
    """Gives each new connection a protocol, until closed. Stands where uvicorn has an `asyncio.Server`."""

    def __init__(
        self,
        listener: socket.socket,
        protocol: Callable[[Connection], asyncio.Protocol],
        context: ssl.SSLContext | None,
        connections: Connections,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._listener = listener
        self._protocol = protocol
        self._context = context
        self._connections = connections
        self._opening: set[asyncio.Task[None]] = set()
        self._open = True
        listener.setblocking(False)
        self._watch()
        connections.watch()

    def close(self) -> None:
        self._open = False
        self._loop.remove_reader(self._listener)

    async def wait_closed(self) -> None:
        """Connections that are opening are ended: no request of theirs has been read."""
        self._connections.stop()
        for task in self._opening:
            task.cancel()

    def _watch(self) -> None:
        if self._open:
            self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        try:
            accepted, peer = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            self._rest(error)
            return
        accepted.setblocking(False)
        connection = self._connections.admit(peer[0])
        task = self._loop.create_task(self._begin(accepted, connection))
        connection.opening = task
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    def _rest(self, error: OSError) -> None:
        log.error("connections wait, the system has no room for them", reason=error.strerror)
        if error.errno in (errno.EMFILE, errno.ENFILE):
            # the process needs more files than are reserved for it
            self._connections.make_room()
        self._loop.remove_reader(self._listener)
        self._loop.call_later(_REST_SECONDS, self._watch)

    async def _begin(self, accepted: socket.socket, connection: Connection) -> None:
        try:
            await self._loop.connect_accepted_socket(
                lambda: self._protocol(connection), accepted, ssl=self._context
            )
        except OSError:
            # gone already, or it does not speak TLS as we do; as quietly as the event loop's own server
            accepted.close()
        finally:
            if connection.transport is None:
                connection.closed()

"""Acceptor of single connections, so that processes share a listening socket.

The event loop's own server accepts all queued connections at once: if a proxy opens all its connections together, one
worker would get and keep them all.
"""

import asyncio
import errno
import socket
import ssl
from collections.abc import Callable

import structlog

from firmograph.serving.connections import Connection, Connections

log = structlog.get_logger("firmograph.serve")

_PAUSE_SECONDS = 1.0
"""Pause of accepting when the system has no resources for a connection."""


class Acceptor:
    """Acceptor that gives each connection a protocol, used instead of `asyncio.Server`."""

    def __init__(
        self,
        listener: socket.socket,
        protocol: Callable[[Connection], asyncio.BaseProtocol],
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
        """Cancel connections that are still opening; none of their requests has been read."""
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
            self._pause(error)
            return
        accepted.setblocking(False)
        connection = self._connections.admit(peer[0])
        task = self._loop.create_task(self._open_connection(accepted, connection))
        connection.opening = task
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    def _pause(self, error: OSError) -> None:
        log.error("no connections are accepted, the system has no resources for them", reason=error.strerror)
        if error.errno in (errno.EMFILE, errno.ENFILE):
            # the process needs more files than reserved
            self._connections.make_room()
        self._loop.remove_reader(self._listener)
        self._loop.call_later(_PAUSE_SECONDS, self._watch)

    async def _open_connection(self, accepted: socket.socket, connection: Connection) -> None:
        try:
            await self._loop.connect_accepted_socket(
                lambda: self._protocol(connection), accepted, ssl=self._context
            )
        except OSError:
            # already closed, or incompatible TLS; not logged, as in the event loop's own server
            accepted.close()
        finally:
            if connection.transport is None:
                connection.closed()

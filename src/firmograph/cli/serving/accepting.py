"""Taking up connections one at a time, so that workers on one listening socket share them.

The event loop's own server takes up all that wait at once: of a proxy that opens its connections together, one worker
would get every one and keep it.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable

import structlog

log = structlog.get_logger("firmograph.serve")

_REST_SECONDS = 1.0
"""How long no connection is taken up when the system has no room for one."""


class Acceptor:
    """Gives each new connection a protocol, until closed. Stands where uvicorn has an `asyncio.Server`."""

    def __init__(
        self,
        listener: socket.socket,
        protocol: Callable[[], asyncio.Protocol],
        context: ssl.SSLContext | None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._listener = listener
        self._protocol = protocol
        self._context = context
        self._beginning: set[asyncio.Task[None]] = set()
        self._open = True
        listener.setblocking(False)
        self._watch()

    def close(self) -> None:
        self._open = False
        self._loop.remove_reader(self._listener)

    async def wait_closed(self) -> None:
        """Connections that are beginning are ended: no request of theirs has been read."""
        for task in self._beginning:
            task.cancel()

    def _watch(self) -> None:
        if self._open:
            self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            log.error("connections wait, the system has no room for them", reason=error.strerror)
            self._loop.remove_reader(self._listener)
            self._loop.call_later(_REST_SECONDS, self._watch)
            return
        connection.setblocking(False)
        task = self._loop.create_task(self._begin(connection))
        self._beginning.add(task)
        task.add_done_callback(self._beginning.discard)

    async def _begin(self, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._protocol, connection, ssl=self._context)
        except OSError:
            # gone already, or it does not speak TLS as we do; as quietly as the event loop's own server
            connection.close()

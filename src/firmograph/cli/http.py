"""HTTP as uvicorn speaks it, with two manners more.

What is no HTTP at all gets the specified error body. And a connection that is to be closed is not closed under
a client that is still sending the body of a request that was refused: the kernel would then reset it, and the
client might never read why.
"""

import asyncio
import uuid
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from firmograph.kit.errors import BadRequest
from firmograph.wire.envelope import error_body

LINGER_SECONDS = 5.0
"""How long the rest of a refused body is read and thrown away."""

MANNERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "loop": "uvloop",
        "http": "firmograph.cli.http:Protocol",
        "ws": "none",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
    }
)
"""What uvicorn is told wherever it serves."""

_BODY = error_body(BadRequest("The request is not valid HTTP/1.1"))


class Protocol(HttpToolsProtocol):
    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        if not self.cycle.keep_alive:
            self.cycle.transport = _LastingTransport(self)  # type: ignore[assignment]

    def send_400_response(self, msg: str) -> None:
        headers: list[Any] = [
            b"content-type: application/json\r\n",
            b"content-length: %d\r\n" % len(_BODY),
            b"x-request-id: %s\r\n" % str(uuid.uuid4()).encode(),
            b"connection: close\r\n\r\n",
        ]
        self.transport.write(b"".join([STATUS_LINE[400], *headers, _BODY]))
        self.transport.close()


class _LastingTransport:
    """A transport whose `close` waits for the client to have sent its body, for a while."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._cycle = protocol.cycle
        self._transport = protocol.transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        if not self._cycle.more_body or self._transport.is_closing():
            self._transport.close()
            return
        if self._transport.can_write_eof():
            # over TLS there is no half of a connection to end
            self._transport.write_eof()
        self._transport.set_protocol(_Discarding(self._protocol))
        self._transport.resume_reading()
        self._protocol.loop.call_later(LINGER_SECONDS, self._transport.close)


class _Discarding(asyncio.Protocol):
    """Reads to the end of the connection without looking."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)

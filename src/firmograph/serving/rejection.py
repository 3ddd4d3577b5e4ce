"""Responses before dispatch, and the protocol of connections that only get one."""

import asyncio
import uuid

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from firmograph.api.envelope import error_body
from firmograph.kit.errors import Busy, FirmographError
from firmograph.serving.connections import Connection


class RejectionProtocol(asyncio.Protocol):
    """Protocol of a rejected connection: 503 without reading a request."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._connection.transport = transport
        transport.write(render_error(Busy()))
        if transport.can_write_eof():
            transport.write_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.closed()


def render_error(error: FirmographError) -> bytes:
    """Return a complete response for an error before dispatch."""
    body = error_body(error)
    fields = {
        "content-type": "application/json",
        "content-length": len(body),
        "x-request-id": uuid.uuid4(),
        **error.headers(),
        "connection": "close",
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return STATUS_LINE[error.status] + lines.encode() + b"\r\n" + body

"""HTTP as uvicorn speaks it, within bounds.

Whatever comes before a body is counted while it arrives, so that no header costs more than a few pages of memory. What
is refused here gets the usual error body. And a connection is not closed while its client still sends the body of a
request that was refused: the kernel would reset it, and the client might never read why.
"""

import asyncio
import uuid
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from firmograph.api.envelope import error_body
from firmograph.cli.serving.bounds import Bounds
from firmograph.cli.serving.connections import IDLE, MALFORMED, NO_HEADER, TOO_LARGE, Connection
from firmograph.kit.errors import BadRequest, Busy, FirmographError

UVICORN_OPTIONS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "loop": "uvloop",
        "ws": "none",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
    }
)
"""How uvicorn is set wherever it serves."""

_PIECE: Final = 4096
"""The parser is fed with no more at once: it cannot be stopped within a piece, however many requests that holds."""

_CHUNK_LINE: Final = 20
"""Bytes that a chunk takes besides its content: its size in hexadecimal, and two ends of a line."""

_BETWEEN, _HEADER, _BODY = range(3)


class UrlTooLong(FirmographError):
    status = 414


class HeaderTooLarge(FirmographError):
    status = 431


class Protocol(HttpToolsProtocol):
    """One connection. Its time limits are those of its `Connection`, so uvicorn's own timer is left out."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        connection: Connection,
        bounds: Bounds,
    ) -> None:
        super().__init__(config, server_state, app_state, asyncio.get_running_loop())
        self._connection = connection
        self._bounds = bounds
        self._phase = _BETWEEN
        self._room = bounds.header_bytes
        """How much more of the request may arrive that is no body."""
        self._held = b""
        """Requests that arrived before an earlier one was answered."""
        self._ended = False
        """Whether what still arrives is dropped."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._connection.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._connection.closed()

    def data_received(self, data: bytes) -> None:
        if self._ended:
            return
        if self._held or self.pipeline or len(data) > _PIECE or len(data) > self._room:
            self._feed_in_pieces(self._held + data)
        else:
            self._feed(data)
        if self._phase and not self._ended:
            self._expect_rest()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._phase = _HEADER

    def on_url(self, url: bytes) -> None:
        self.url += url
        if len(self.url) > self._bounds.url_bytes:
            raise UrlTooLong(f"The URL is longer than {self._bounds.url_bytes} bytes")

    def on_headers_complete(self) -> None:
        if len(self.headers) > self._bounds.header_fields:
            raise HeaderTooLarge(f"The header has more than {self._bounds.header_fields} fields")
        super().on_headers_complete()
        self._phase = _BODY
        # trailers come as fields too, and must not count as such of the header
        self.headers = []

    def on_chunk_header(self) -> None:
        self._room += _CHUNK_LINE

    # the next two are uvicorn's without its question, at each piece, for an upgrade that is never made

    def on_body(self, body: bytes) -> None:
        self._room += len(body)
        cycle = self.cycle
        cycle.body += body
        if len(cycle.body) > HIGH_WATER_LIMIT:
            self.flow.pause_reading()
        cycle.message_event.set()

    def on_message_complete(self) -> None:
        self._phase = _BETWEEN
        self._room = self._bounds.header_bytes
        self.cycle.more_body = False
        self.cycle.message_event.set()
        self._connection.work()

    def on_response_complete(self) -> None:
        self.server_state.total_requests += 1
        if self.transport.is_closing() or (self._ended and not self.pipeline):
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
            if self.pipeline or self._phase != _BODY:
                return
            self._connection.expect_nothing()
        elif self._phase:
            self._connection.expect(NO_HEADER, self._bounds.header_seconds)
        else:
            self._connection.expect(IDLE, self._bounds.idle_seconds)
        self._connection.wait()
        if self._held:
            self.data_received(b"")

    def pause_writing(self) -> None:
        super().pause_writing()
        # from here on it is the client that does not work, as it does not read its answer
        self._connection.expect(IDLE, self._bounds.idle_seconds)
        self._connection.wait()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete:
            self._connection.work()

    def linger(self) -> None:
        """End the connection, once the client had time to read its answer; what it still sends is dropped."""
        self._ended = True
        self._held = b""
        if self.cycle is not None:
            self.cycle.body = bytearray()
        if self.transport.is_closing():
            return
        if self.transport.can_write_eof():
            # over TLS there is no half of a connection to end
            self.transport.write_eof()
        self.flow.resume_reading()
        self._connection.linger()

    def _feed(self, data: bytes | memoryview) -> None:
        self._room -= len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # nothing else is spoken here, so it is answered as if nothing else had been offered
            return
        except httptools.HttpParserError as error:
            if isinstance(error.__context__, FirmographError):
                self._refuse(error.__context__, TOO_LARGE)
            else:
                self._refuse(BadRequest("The request is not valid HTTP/1.1"), MALFORMED)
            return
        if self._room <= 0:
            self._check_room()

    def _feed_in_pieces(self, data: bytes) -> None:
        self._held = b""
        view, at = memoryview(data), 0
        while at < len(view) and not self._ended:
            if self.pipeline:
                self._held = bytes(view[at:])
                self.flow.pause_reading()
                return
            size = _PIECE if self._phase == _BODY else max(min(_PIECE, self._room), 1)
            self._feed(view[at : at + size])
            at += size

    def _check_room(self) -> None:
        most = self._bounds.header_bytes
        if self._phase == _HEADER:
            self._refuse(HeaderTooLarge(f"The header is longer than {most} bytes"), TOO_LARGE)
        elif self._phase == _BETWEEN or self._room < -_CHUNK_LINE:
            self._refuse(BadRequest(f"What surrounds the body is longer than {most} bytes"), TOO_LARGE)

    def _expect_rest(self) -> None:
        """Of a request that has arrived in part."""
        connection = self._connection
        if self._phase == _BODY:
            # uvicorn makes it, and has no setting for its class
            self.cycle.__class__ = _ArrivingCycle
            self.cycle.protocol = self  # type: ignore[attr-defined]
        if connection.at_work:
            return
        if self._phase == _BODY:
            connection.expect_nothing()
        elif connection.reason != NO_HEADER:
            connection.expect(NO_HEADER, self._bounds.header_seconds)

    def _refuse(self, error: FirmographError, reason: str) -> None:
        self._connection.count(reason)
        self._ended = True
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            if not cycle.more_body:
                # an earlier request, whose answer is the last on this connection
                cycle.keep_alive = False
                cycle.transport = _LastingTransport(self)  # type: ignore[assignment]
                return
            if cycle.response_started or self.pipeline:
                self.transport.abort()
                return
            cycle.disconnected = True
            cycle.message_event.set()
        self.transport.write(_rendered(error))
        self.linger()


class RejectionProtocol(asyncio.Protocol):
    """A connection for which there is no place: 503, whatever it asks."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._connection.transport = transport
        transport.write(_rendered(Busy()))
        if transport.can_write_eof():
            transport.write_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.closed()


class _ArrivingCycle(RequestResponseCycle):
    """A request and its answer, which is the last on its connection if it begins before the request has ended."""

    protocol: Protocol

    async def send(self, message: Any) -> None:
        if self.more_body and not self.response_started:
            self.keep_alive = False
            self.transport = _LastingTransport(self.protocol)  # type: ignore[assignment]
        await super().send(message)


class _LastingTransport:
    """A transport whose `close` waits for the client to have read its answer, for a while."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._transport = protocol.transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        self._protocol.linger()


def _rendered(error: FirmographError) -> bytes:
    """An answer that is given without looking at a request."""
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

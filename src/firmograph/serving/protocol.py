"""Uvicorn's HTTP protocol with bounds.

All data before a body is counted as it arrives, so that no header takes more than a few pages of memory. Refusals have
the usual error body. A connection stays open while its client still sends the body of a refused request: otherwise the
kernel would reset it, and the client might never read the reason.
"""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from firmograph.kit.errors import BadRequest, FirmographError
from firmograph.serving.bounds import Bounds
from firmograph.serving.connections import IDLE, MALFORMED, NO_HEADER, TOO_LARGE, Connection
from firmograph.serving.pipelining import CHUNK, READ, Flow, chunk_end, may_hold_several
from firmograph.serving.rejection import render_error
from firmograph.serving.small_reads import LARGEST

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
"""Options of all uvicorn servers."""

_CHUNK_LINE: Final = 20
"""Bytes of a chunk without its content: its size in hexadecimal, and two line ends."""

_BETWEEN, _HEADER, _BODY = range(3)


class UrlTooLong(FirmographError):
    status = 414


class HeaderTooLarge(FirmographError):
    status = 431


class Protocol(HttpToolsProtocol):
    """HTTP on one connection; `Connection` has the timeouts instead of uvicorn's timer."""

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
        self.flow: Flow
        self._phase = _BETWEEN
        self._allowance = bounds.header_bytes
        """Remaining bytes of the request apart from its body."""
        self._unparsed = b""
        """Data of one read, with requests received before the response to an earlier one."""
        self._parsed = 0
        """Bytes at its beginning that are parsed."""
        self._ended = False
        """Whether further data is dropped."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.flow = Flow(transport)
        self._connection.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._connection.closed()

    def data_received(self, data: bytes) -> None:
        if self._ended:
            return
        if self._unparsed:
            data, self._unparsed = self._unparsed[self._parsed :] + data, b""
        if self.pipeline or len(data) > CHUNK or len(data) > self._allowance or may_hold_several(data):
            self._feed_in_chunks(data, 0)
        else:
            self._feed(data)
            self._after_data()

    def read_size(self) -> int:
        """Return how much to read at once: little, except of a body that the application asks for."""
        return LARGEST if self._phase == _BODY else READ

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
        # trailers arrive as fields too, and must not count as header fields
        self.headers = []

    def on_chunk_header(self) -> None:
        self._allowance += _CHUNK_LINE

    # the next two methods are uvicorn's without its check for upgrades, which are unsupported

    def on_body(self, body: bytes) -> None:
        self._allowance += len(body)
        self.cycle.body += body
        self.cycle.message_event.set()

    def on_message_complete(self) -> None:
        self._phase = _BETWEEN
        self._allowance = self._bounds.header_bytes
        self.cycle.more_body = False
        self.cycle.message_event.set()
        self._connection.work()

    def on_response_complete(self) -> None:
        self.server_state.total_requests += 1
        if self.transport.is_closing() or (self._ended and not self.pipeline):
            return
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
        self._read_on()

    def pause_writing(self) -> None:
        super().pause_writing()
        # the client delays the response by not reading it
        self._connection.expect(IDLE, self._bounds.idle_seconds)
        self._connection.wait()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete:
            self._connection.work()

    def linger(self) -> None:
        """Close the connection after the client had time to read its response; further data is dropped."""
        self._ended = True
        self._unparsed = b""
        if self.cycle is not None:
            self.cycle.body = bytearray()
        if self.transport.is_closing():
            return
        if self.transport.can_write_eof():
            # a TLS connection cannot be half closed
            self.transport.write_eof()
        self.flow.hold(False)
        self.flow.resume_reading()
        self._connection.linger()

    def _read_on(self) -> None:
        """Parse what was received earlier, and read more; of a body only when the application asks for it."""
        self.flow.hold(False)
        if self._phase != _BODY:
            self.flow.resume_reading()
        if self._unparsed:
            data, self._unparsed = self._unparsed, b""
            self._feed_in_chunks(data, self._parsed)

    def _feed(self, data: bytes | memoryview) -> None:
        self._allowance -= len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # upgrades are unsupported, so the offer is ignored
            return
        except httptools.HttpParserError as error:
            if isinstance(error.__context__, FirmographError):
                self._refuse(error.__context__, TOO_LARGE)
            else:
                self._refuse(BadRequest("The request is not valid HTTP/1.1"), MALFORMED)
            return
        if self._allowance <= 0:
            self._check_allowance()

    def _feed_in_chunks(self, data: bytes, at: int) -> None:
        """Parse from a position until a request has to wait for the response to an earlier one."""
        view = memoryview(data)
        while at < len(data) and not self._ended and not self.pipeline:
            end = chunk_end(data, at, None if self._phase == _BODY else self._allowance)
            self._feed(view[at:end])
            at = end
        if at < len(data) and not self._ended:
            self._unparsed, self._parsed = data, at
        self._after_data()

    def _after_data(self) -> None:
        if self._ended:
            return
        self.flow.hold(bool(self.pipeline or self._unparsed))
        if self._phase:
            self._expect_rest()

    def _check_allowance(self) -> None:
        most = self._bounds.header_bytes
        if self._phase == _HEADER:
            self._refuse(HeaderTooLarge(f"The header is longer than {most} bytes"), TOO_LARGE)
        elif self._phase == _BETWEEN or self._allowance < -_CHUNK_LINE:
            self._refuse(BadRequest(f"The framing of the body is longer than {most} bytes"), TOO_LARGE)

    def _expect_rest(self) -> None:
        """Set the deadline of a partial request; of a body no more is read until the application asks for it."""
        connection, cycle = self._connection, self.cycle
        if self._phase == _BODY:
            is_new = type(cycle) is not _UploadCycle
            if is_new:
                # uvicorn creates the cycle and has no setting for its class
                cycle.__class__ = _UploadCycle
                cycle.protocol = self  # type: ignore[attr-defined]
            if is_new or cycle.body:
                self.flow.pause_reading()
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
                # an earlier request, with the last response on this connection
                cycle.keep_alive = False
                cycle.transport = _LingeringTransport(self)  # type: ignore[assignment]
                return
            if cycle.response_started or self.pipeline:
                self.transport.abort()
                return
            cycle.disconnected = True
            cycle.message_event.set()
        self.transport.write(render_error(error))
        self.linger()


class _UploadCycle(RequestResponseCycle):
    """Request cycle that ends its connection if the response precedes the request's end."""

    protocol: Protocol

    async def send(self, message: Any) -> None:
        if self.more_body and not self.response_started:
            self.keep_alive = False
            self.transport = _LingeringTransport(self.protocol)  # type: ignore[assignment]
        await super().send(message)


class _LingeringTransport:
    """Transport whose `close` gives the client time to read the response."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._transport = protocol.transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        self._protocol.linger()

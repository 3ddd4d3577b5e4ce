"""HTTP client of one request at a time and answer: no redirects, no cookies, no environment, no decompression."""

import socket
import ssl
from collections.abc import Mapping
from types import SimpleNamespace, TracebackType
from typing import Any, Final

import aiohttp
from yarl import URL

from firmograph.outbound.address_guard import AddressGuard
from firmograph.outbound.connector import Connector, Lookup, allow_many_connections
from firmograph.outbound.response_limit import MAX_RESPONSE_BYTES

_OVERHEAD_BYTES: Final = 65_536
"""Bytes of an answer without its body: headers, and lengths of chunks."""
_PART_BYTES: Final = 1 << 16


class BodyTooLong(Exception):
    """Body of an answer above the limit of its reader."""


class HttpClient:
    """Client in the running event loop while entered; callers bound time and concurrency.

    Without a guard it reaches every address: for those that the operator sets.
    """

    def __init__(
        self,
        tls: ssl.SSLContext,
        *,
        guard: AddressGuard | None,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        headers: Mapping[str, str] = {},
        lookup: Lookup = socket.getaddrinfo,
    ) -> None:
        """Create a client; `max_response_bytes` of an answer are processed, `lookup` resolves names."""
        self._tls = tls
        self._guard = guard
        self._max_response_bytes = max_response_bytes
        self._headers = {"Accept": "application/json", "Accept-Encoding": "identity", **headers}
        self._lookup = lookup

    async def __aenter__(self) -> "HttpClient":
        allow_many_connections()
        self.connector = Connector(
            self._guard, self._tls, self._lookup, max_response_bytes=self._max_response_bytes
        )
        self._session = aiohttp.ClientSession(
            connector=self.connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            read_bufsize=min(self._max_response_bytes, _PART_BYTES),
            trace_configs=[_reuse_trace()],
            headers=self._headers,
            trust_env=False,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._session.close()

    async def request(
        self, method: str, url: URL, headers: Mapping[str, str], body: bytes | None = None
    ) -> aiohttp.ClientResponse:
        """Return the start of the answer; ask again if the server had closed an idle connection.

        Raises aiohttp's ClientError and OSError.
        """
        if self.connector.is_crowded():
            headers = {**headers, "Connection": "close"}
        while True:
            connection = SimpleNamespace(reused=False)
            try:
                return await self._session.request(
                    method,
                    url,
                    data=body,
                    headers=headers,
                    allow_redirects=False,
                    trace_request_ctx=connection,
                )
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                if not connection.reused:
                    raise


def bytes_with_overhead(max_body_bytes: int) -> int:
    """Return the limit of a whole answer whose body may have as many bytes."""
    return max_body_bytes + _OVERHEAD_BYTES


async def read_body(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    """Return the body. Raises BodyTooLong for one of more bytes."""
    parts, size = [], 0
    async for part in response.content.iter_chunked(_PART_BYTES):
        size += len(part)
        if size > max_bytes:
            raise BodyTooLong
        parts.append(part)
    return b"".join(parts)


def _reuse_trace() -> aiohttp.TraceConfig:
    """Trace whether a request uses a connection that was idle."""

    async def reused(session: aiohttp.ClientSession, context: SimpleNamespace, _: Any) -> None:
        context.trace_request_ctx.reused = True

    trace = aiohttp.TraceConfig()
    trace.on_connection_reuseconn.append(reused)
    return trace

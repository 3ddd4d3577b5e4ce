"""Requests to a provider, each with a limit of time and bytes, and the meaning of their failures and statuses."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec
import structlog
from yarl import URL

from firmograph.kit.clock import DAY_SECONDS, Clock
from firmograph.outbound.client import BodyTooLong, HttpClient, bytes_with_overhead, read_body
from firmograph.outbound.connector import create_tls_context
from firmograph.outbound.failure_kinds import Failure, classify_failure
from firmograph.outbound.retry_after import retry_after
from firmograph.waterfall.providers.file_shapes import ConnectionTable
from firmograph.waterfall.providers.types import Miss, Trouble

log = structlog.get_logger("firmograph.waterfall")

MAX_BODY_BYTES: Final = 256_000
"""Bytes of an answer's body."""

_REASONS: Final = {
    Failure.TIMEOUT: "no answer in time",
    Failure.LOCAL: "no connection could be opened on this machine",
    Failure.ADDRESS: "address not found",
    Failure.CERTIFICATE: "certificate not trusted",
    Failure.TLS: "TLS failed",
    Failure.REFUSED: "connection refused",
    Failure.NOT_HTTP: "answer is not HTTP",
    Failure.CUT_OFF: "answer broke off",
    Failure.UNREACHABLE: "no connection",
    Failure.UNEXPECTED: "unexpected error",
}
_MISSES: Final = {
    400: "refused the person",
    404: "not found",
    410: "not found",
    422: "refused the person",
    451: "restricted",
}
"""Statuses that another try would have again."""
_TROUBLES: Final = {
    401: "key refused",
    402: "out of credits there",
    403: "key refused",
    407: "key refused",
    408: "no answer in time",
    429: "too many requests",
}
NOT_JSON: Final = Trouble("answer is not JSON")


class Answer(NamedTuple):
    """Answer of a provider with a status of success."""

    status: int
    body: bytes


class Exchange:
    """HTTP connections to one provider, in the event loop of the first request."""

    def __init__(self, name: str, table: ConnectionTable, clock: Clock, place: str) -> None:
        """Create an exchange. Raises Refused if the file of certificates cannot be read."""
        self._name = name
        self._clock = clock
        self._seconds = table.timeout_seconds
        self._tls = create_tls_context(f"{place}.ca_file" if table.ca_file else "", table.ca_file)
        self._client: HttpClient | None = None

    async def send(
        self, method: str, url: URL, headers: Mapping[str, str], body: bytes | None = None
    ) -> Answer | Miss | Trouble:
        """Return a successful answer, or the meaning of any other end."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._exchange(method, url, headers, body)
        except BodyTooLong:
            return Trouble("answer too long")
        except Exception as error:
            failure = classify_failure(error)
            if failure is Failure.UNEXPECTED:
                log.error(
                    "provider failed with an unexpected error",
                    provider=self._name,
                    error=type(error).__name__,
                )
            return Trouble(_REASONS[failure], counts=failure is not Failure.LOCAL)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _exchange(
        self, method: str, url: URL, headers: Mapping[str, str], body: bytes | None
    ) -> Answer | Miss | Trouble:
        client = await self._opened()
        async with await client.request(method, url, headers, body) as response:
            status = response.status
            if not 200 <= status < 300:
                wait = retry_after(response.headers.get("Retry-After", ""), self._clock.seconds())
                return _end(status, wait)
            return Answer(status, await read_body(response, MAX_BODY_BYTES))

    async def _opened(self) -> HttpClient:
        if self._client is None:
            limit = bytes_with_overhead(MAX_BODY_BYTES)
            self._client = HttpClient(self._tls, guard=None, max_response_bytes=limit)
            await self._client.__aenter__()
        return self._client


def _end(status: int, wait: float | None) -> Miss | Trouble:
    """Return the meaning of a status other than success; the answer's text is not read."""
    if status in _MISSES:
        return Miss(_MISSES[status])
    if 300 <= status < 400:
        return Trouble("redirect")
    reason = _TROUBLES.get(status) or ("server error" if status >= 500 else "request refused")
    wait = None if wait is None else min(wait, DAY_SECONDS)
    # a provider that says when to come back works; one that only refuses is left alone for a while
    return Trouble(reason, wait, counts=status != 429 or wait is None)


def decode_json(body: bytes) -> Any:
    """Return the value of a body. Raises ValueError for one that is not JSON."""
    try:
        return msgspec.json.decode(body)
    except RecursionError:
        raise ValueError("nested too deeply") from None

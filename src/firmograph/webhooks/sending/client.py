"""HTTP client of deliveries: one attempt is one POST.

See docs/reference/webhooks.md#acknowledgement.

An attempt has 10 seconds, from DNS lookup to the end of the response. It follows no redirects, decompresses no
response, ignores the environment (proxies, `.netrc`), stores no cookies and reads at most 20,000 bytes of the response.
Error texts are shown to accounts, so they reveal nothing about the local network.
"""

import asyncio
import socket
import time
from types import TracebackType
from typing import Any, Final

import msgspec
import structlog
from yarl import URL

from firmograph.kit.clock import Clock
from firmograph.outbound.client import HttpClient
from firmograph.outbound.connector import Lookup, create_tls_context
from firmograph.outbound.failure_kinds import Failure, classify_failure, failure_cause
from firmograph.outbound.retry_after import retry_after
from firmograph.settings import Settings
from firmograph.webhooks.sending import signing
from firmograph.webhooks.sending.urls import address_guard, request_url
from firmograph.webhooks.types import MAX_RESPONSE_BYTES, SendResult

log = structlog.get_logger("firmograph.webhooks")

SECONDS: Final = 10
"""Time limit of an attempt."""


class _InsecureURL(Exception):
    """Plain-HTTP URL, subscribed while the setting allowed it."""


_TEXTS: Final = {
    # one text for both, so that nobody can probe which names exist in the local network
    Failure.ADDRESS: "The URL's address was not found or is not allowed",
    Failure.CERTIFICATE: "The receiver's certificate could not be verified",
    Failure.TLS: "The TLS connection failed",
    Failure.REFUSED: "The connection was refused",
    Failure.NOT_HTTP: "The answer was not valid HTTP",
    Failure.CUT_OFF: "The connection was closed before the answer was complete",
    Failure.UNREACHABLE: "The connection could not be made",
}


class _Acknowledgement(msgspec.Struct):
    """Acknowledgement in a response, with unchecked types."""

    received: Any = None
    webhookId: Any = None


class _Body(msgspec.Struct):
    id: str | None = None


_acknowledgement = msgspec.json.Decoder(_Acknowledgement).decode
_body = msgspec.json.Decoder(_Body).decode


class _PartialResponse(msgspec.Struct):
    """Response as far as it has been read."""

    began: float | None = None
    """Monotonic time of its start; None without a response."""
    status: int | None = None
    body: bytes = b""
    retry_after: float | None = None


class Sender:
    """HTTP client of deliveries.

    It sends in the running event loop while entered; callers bound its concurrency.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        *,
        seconds: float = SECONDS,
        lookup: Lookup = socket.getaddrinfo,
    ) -> None:
        """Create a client; `lookup` resolves names. Raises Refused for invalid settings."""
        self._settings = settings
        self._clock = clock
        self._seconds = seconds
        self._client = HttpClient(
            create_tls_context("FIRMOGRAPH_WEBHOOK_CA_FILE", settings.webhook_ca_file),
            guard=address_guard(settings),
            lookup=lookup,
        )

    async def __aenter__(self) -> "Sender":
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    async def send(self, url: str, payload_id: str, secret: str, body: bytes) -> SendResult:
        """Send one attempt and return its result, whatever the receiver did.

        Raises OSError when this machine cannot open a connection: nothing was sent, and the receiver did not fail.
        """
        began = time.monotonic()
        headers = signing.headers(self._settings.brand, secret, payload_id, int(self._clock.seconds()), body)
        partial = _PartialResponse()
        try:
            async with asyncio.timeout(self._seconds):
                await self._exchange(request_url(url), headers, body, partial)
            error = self._failure(partial, payload_id, body)
        except Exception as raised:
            error = self._describe(raised)
        duration = round((time.monotonic() - began) * 1000)
        response = None if partial.began is None else round((partial.began - began) * 1000)
        return SendResult(partial.status, duration, error, partial.body, partial.retry_after, response)

    async def _exchange(
        self, url: URL, headers: dict[str, str], body: bytes, partial: _PartialResponse
    ) -> None:
        """Post the body, filling `partial` as the response arrives so that an aborted one is kept."""
        if url.scheme != "https" and not self._settings.allow_insecure_webhooks:
            raise _InsecureURL
        async with await self._client.request("POST", url, headers, body) as response:
            partial.began = time.monotonic()
            partial.status = response.status
            partial.retry_after = retry_after(response.headers.get("Retry-After", ""), self._clock.seconds())
            while missing := MAX_RESPONSE_BYTES - len(partial.body):
                if not (part := await response.content.read(missing)):
                    break
                partial.body += part

    def _failure(self, partial: _PartialResponse, payload_id: str, body: bytes) -> str | None:
        """Return why a complete response is not a success; None if it is."""
        status = partial.status or 0
        if 300 <= status < 400:
            return f"The receiver answered {status}; redirects are not followed"
        if not 200 <= status < 300:
            return f"The receiver answered {status}"
        acknowledgement = _parse_acknowledgement(partial.body)
        if acknowledgement.received is False:
            return "The receiver answered that it has not received the delivery"
        if self._settings.webhook_require_acknowledgement and not _acknowledges(
            acknowledgement, payload_id, body
        ):
            return "The answer did not acknowledge the delivery"
        return None

    def _describe(self, error: Exception) -> str:
        """Return the error text for accounts. Raises OSError for a local error."""
        if isinstance(error, _InsecureURL):
            return "The URL must begin with https://"
        failure = classify_failure(error)
        if failure is Failure.TIMEOUT:
            return f"No answer within {self._seconds:g} seconds"
        if failure is Failure.LOCAL:
            raise failure_cause(error)
        if failure is Failure.UNEXPECTED:
            log.error("delivery failed with an unexpected error", error=type(error).__name__)
            return "The delivery failed"
        return _TEXTS[failure]


def _parse_acknowledgement(response: bytes) -> _Acknowledgement:
    """Parse a response body; one that is not a JSON object acknowledges nothing."""
    try:
        return _acknowledgement(response)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Acknowledgement()


def _acknowledges(acknowledgement: _Acknowledgement, payload_id: str, body: bytes) -> bool:
    """Return whether the delivery is acknowledged; for a body without an id, `received` is enough."""
    return acknowledgement.received is True and (
        acknowledgement.webhookId == payload_id or _body(body).id is None
    )

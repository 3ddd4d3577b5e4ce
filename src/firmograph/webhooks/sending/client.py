"""One attempt to deliver: a POST of the body, and what came of it (specification 6.4, decisions G).

All of it has 10 seconds, from the look-up of the name to the end of the answer. Redirects are not followed, answers not
decompressed, nothing of the environment (proxies, `.netrc`) is used, no cookies are kept, and of an answer no more than
20,000 bytes are read. What it says of a failure is for accounts to read, and tells nothing of this side's network.
"""

import asyncio
import email.utils
import socket
import ssl
import time
from datetime import UTC
from types import SimpleNamespace, TracebackType
from typing import Any, Final

import aiohttp
import msgspec
import structlog
from yarl import URL

from firmograph.kit.clock import Clock
from firmograph.outbound.client import (
    AddressRefused,
    Connector,
    Lookup,
    NameNotFound,
    allow_many_connections,
    is_ours,
    tls_context,
)
from firmograph.settings import Settings
from firmograph.webhooks.sending import signing
from firmograph.webhooks.sending.urls import guard
from firmograph.webhooks.types import MOST_ANSWER_BYTES, Sent

log = structlog.get_logger("firmograph.webhooks")

SECONDS: Final = 10
"""That an attempt may take."""

_LONGEST_WAIT: Final = 1e9
"""Seconds; a longer `Retry-After` is as good as this."""


class _InsecureURL(Exception):
    """It was subscribed while that was allowed."""


_TEXTS: Final = (
    (_InsecureURL, "The URL must begin with https://"),
    # one text for both: it tells nobody which names there are in this network
    (
        (AddressRefused, NameNotFound, aiohttp.InvalidURL),
        "The URL's address was not found or is not allowed",
    ),
    (ssl.SSLCertVerificationError, "The receiver's certificate could not be verified"),
    (ssl.SSLError, "The TLS connection failed"),
    (ConnectionRefusedError, "The connection was refused"),
    (aiohttp.ClientResponseError, "The answer was not valid HTTP"),
    ((aiohttp.ClientError, ConnectionError), "The connection was closed before the answer was complete"),
    (OSError, "The connection could not be made"),
)
"""The first that fits is told."""


class _Acknowledgement(msgspec.Struct):
    """What a receiver says in its answer, of whatever types its values are."""

    received: Any = None
    webhookId: Any = None


class _Body(msgspec.Struct):
    id: str | None = None


_acknowledgement = msgspec.json.Decoder(_Acknowledgement).decode
_body = msgspec.json.Decoder(_Body).decode


class _Answer(msgspec.Struct):
    began: float | None = None
    """By the monotonic clock; None where none came."""
    status: int | None = None
    body: bytes = b""
    retry_after: float | None = None


class Sender:
    """Sends in the running loop while entered. Whoever sends bounds how much is in flight."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        *,
        seconds: float = SECONDS,
        lookup: Lookup = socket.getaddrinfo,
    ) -> None:
        """Raises Refused for settings that cannot be used. `lookup` is the system's look-up of names."""
        self._settings = settings
        self._clock = clock
        self._seconds = seconds
        self._lookup = lookup
        self._guard = guard(settings)
        self._tls = tls_context("FIRMOGRAPH_WEBHOOK_CA_FILE", settings.webhook_ca_file)

    async def __aenter__(self) -> "Sender":
        allow_many_connections()
        self._connector = Connector(self._guard, self._tls, self._lookup)
        self._session = aiohttp.ClientSession(
            connector=self._connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            read_bufsize=MOST_ANSWER_BYTES,
            trace_configs=[_noting_reuse()],
            headers={"Accept": "application/json", "Accept-Encoding": "identity"},
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def send(self, url: str, payload_id: str, secret: str, body: bytes) -> Sent:
        """What came of it, whatever the other side did.

        Raises OSError where this machine has no means left to connect: nothing was sent then, and no receiver failed.
        """
        began = time.monotonic()
        headers = signing.headers(self._settings.brand, secret, payload_id, int(self._clock.seconds()), body)
        if self._connector.crowded():
            headers["Connection"] = "close"
        answer = _Answer()
        try:
            async with asyncio.timeout(self._seconds):
                await self._exchange(URL(url), headers, body, answer)
            error = self._fault(answer, payload_id, body)
        except Exception as raised:
            error = self._told(raised)
        duration = round((time.monotonic() - began) * 1000)
        response = None if answer.began is None else round((answer.began - began) * 1000)
        return Sent(answer.status, duration, error, answer.body, answer.retry_after, response)

    async def _exchange(self, url: URL, headers: dict[str, str], body: bytes, answer: _Answer) -> None:
        """Fills the answer in as it comes, so that what came of one that breaks off is kept."""
        if url.scheme != "https" and not self._settings.allow_insecure_webhooks:
            raise _InsecureURL
        async with await self._answered(url, headers, body) as response:
            answer.began = time.monotonic()
            answer.status = response.status
            answer.retry_after = retry_after(response.headers.get("Retry-After", ""), self._clock.seconds())
            while missing := MOST_ANSWER_BYTES - len(answer.body):
                if not (part := await response.content.read(missing)):
                    break
                answer.body += part

    async def _answered(self, url: URL, headers: dict[str, str], body: bytes) -> aiohttp.ClientResponse:
        """The answer's beginning. What an idle connection met whose other end had closed it was no attempt."""
        while True:
            connection = SimpleNamespace(reused=False)
            try:
                return await self._session.post(
                    url, data=body, headers=headers, allow_redirects=False, trace_request_ctx=connection
                )
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                if not connection.reused:
                    raise

    def _fault(self, answer: _Answer, payload_id: str, body: bytes) -> str | None:
        """Why a whole answer is no success, if it is none."""
        status = answer.status or 0
        if 300 <= status < 400:
            return f"The receiver answered {status}; redirects are not followed"
        if not 200 <= status < 300:
            return f"The receiver answered {status}"
        said = _said(answer.body)
        if said.received is False:
            return "The receiver answered that it has not received the delivery"
        if self._settings.webhook_require_acknowledgement and not _acknowledges(said, payload_id, body):
            return "The answer did not acknowledge the delivery"
        return None

    def _told(self, error: Exception) -> str:
        """What accounts read of an error. Raises OSError for one that is this machine's own."""
        cause = error.__cause__ if isinstance(error, aiohttp.ClientConnectorError) else error
        if isinstance(cause, TimeoutError):
            return f"No answer within {self._seconds:g} seconds"
        if isinstance(cause, OSError) and is_ours(cause):
            raise cause
        for kinds, text in _TEXTS:
            if isinstance(cause, kinds):
                return text
        log.error("a delivery failed in an unknown way", error=type(cause).__name__)
        return "The delivery failed"


def retry_after(field: str, now: float) -> float | None:
    """Seconds that the header asks for, as a number or a date (RFC 9110, 10.2.3); None where it says nothing."""
    if field.isascii() and field.isdecimal():
        return min(float(field), _LONGEST_WAIT)
    try:
        until = email.utils.parsedate_to_datetime(field)
        return max(0.0, (until if until.tzinfo else until.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _said(answer: bytes) -> _Acknowledgement:
    """Read the body of an answer; one that is no JSON object says nothing."""
    try:
        return _acknowledgement(answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Acknowledgement()


def _acknowledges(said: _Acknowledgement, payload_id: str, body: bytes) -> bool:
    """Decide whether an answer is what specification 6.4 asks for; of a body without an id, `received` is enough."""
    return said.received is True and (said.webhookId == payload_id or _body(body).id is None)


def _noting_reuse() -> aiohttp.TraceConfig:
    """Tells a request whether it goes over a connection that was idle."""

    async def reused(session: aiohttp.ClientSession, context: SimpleNamespace, _: Any) -> None:
        context.trace_request_ctx.reused = True

    trace = aiohttp.TraceConfig()
    trace.on_connection_reuseconn.append(reused)
    return trace

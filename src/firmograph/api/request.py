"""Reading of a request before decoding: headers, body size, content type."""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from firmograph.api.body_budget import SHORT_BYTES, BodyBudget
from firmograph.caller import CallKey
from firmograph.kit.errors import BadRequest, FirmographError, PayloadTooLarge, UnsupportedMediaType

BODY_SECONDS = 30.0
"""Time a client has to send the body."""

_DROP_SECONDS = 1.0

Receive = Callable[[], Awaitable[Mapping[str, Any]]]


class Disconnected(Exception):
    """Disconnection of the client before its request was complete."""


class RequestTimeout(FirmographError):
    status = 499
    public = f"The body did not arrive within {BODY_SECONDS:.0f} seconds"


class RequestHeaders(msgspec.Struct):
    """Request headers used by the API.

    An absent header is None; of a repeated header the last value is kept and `repeated` holds the name.
    """

    api_key: bytes | None = None
    operator_key: bytes | None = None
    content_type: bytes | None = None
    content_encoding: bytes | None = None
    content_length: bytes | None = None
    idempotency_key: bytes | None = None
    forwarded: bytes | None = None
    forwarded_for: bytes | None = None
    forwarded_proto: bytes | None = None
    repeated: tuple[bytes, ...] = ()

    def has_body(self) -> bool:
        """Return whether a body of a known length follows."""
        return self.content_length is not None and self.content_length != b"0"

    def single_api_key(self) -> str | None:
        """Return the API key, None if it is missing, empty or repeated."""
        if not self.api_key or b"api_key" in self.repeated:
            return None
        return self.api_key.decode("latin-1")

    def single_operator_key(self) -> str | None:
        """Return the operator's key, None if it is missing, empty or repeated."""
        if not self.operator_key or b"operator_key" in self.repeated:
            return None
        return self.operator_key.decode("latin-1")


_ATTRIBUTES = {
    b"api_key": "api_key",
    b"operator_key": "operator_key",
    b"content-type": "content_type",
    b"content-encoding": "content_encoding",
    b"content-length": "content_length",
    b"idempotency-key": "idempotency_key",
    b"forwarded": "forwarded",
    b"x-forwarded-for": "forwarded_for",
    b"x-forwarded-proto": "forwarded_proto",
}


def read_request_headers(raw: list[tuple[bytes, bytes]]) -> RequestHeaders:
    headers = RequestHeaders()
    for name, value in raw:
        attribute = _ATTRIBUTES.get(name)
        if attribute is not None:
            if getattr(headers, attribute) is not None:
                headers.repeated += (name,)
            setattr(headers, attribute, value.strip())
    return headers


async def read_body(receive: Receive, content_length: bytes | None, limit: int) -> bytes:
    """Read and return the whole body of at most `limit` bytes; raises the errors of `RequestBody.read`."""
    body = RequestBody(receive, content_length, limit)
    await body.read()
    return body.content()


async def drop_short_body(receive: Receive, content_length: bytes | None) -> None:
    """Read and discard the short body of a refused request; its connection can be reused only then."""
    with suppress(FirmographError, TimeoutError):
        async with asyncio.timeout(_DROP_SECONDS):
            await read_body(receive, content_length, SHORT_BYTES)


class RequestBody:
    """Request body, of which at most `limit` bytes and one chunk are kept in memory."""

    def __init__(self, receive: Receive, content_length: bytes | None, limit: int) -> None:
        self._receive = receive
        self._declared = content_length if content_length is not None and content_length.isdigit() else None
        self._limit = limit
        self._ends_at = asyncio.get_running_loop().time() + BODY_SECONDS
        self._content: bytes | bytearray = b""
        self.complete = False

    def is_short(self) -> bool:
        """Return whether the body is known to be short, so that it may be read before authentication."""
        return self._declared is not None and not self._declares_more_than(SHORT_BYTES)

    async def read(self) -> None:
        """Read to the end.

        Raises PayloadTooLarge as soon as the limit is exceeded, RequestTimeout after BODY_SECONDS, and Disconnected.
        """
        await self._read(self._read_chunks)

    async def read_within(self, budget: BodyBudget, account: object) -> None:
        """Read to the end as `read` does, within the memory of an account; the wait for it takes from the time."""

        async def read_chunks() -> None:
            size = self._declared_or_limit()
            await budget.take(account, size)
            try:
                await self._read_chunks()
            finally:
                budget.give_back(account, size)

        await self._read(read_chunks)

    async def _read(self, read_chunks: Callable[[], Awaitable[None]]) -> None:
        if self.complete:
            return
        if self._declares_more_than(self._limit):
            raise _payload_too_large(self._limit)
        try:
            async with asyncio.timeout_at(self._ends_at):
                await read_chunks()
        except TimeoutError as error:
            raise RequestTimeout from error

    def content(self) -> bytes:
        return bytes(self._content)

    async def _read_chunks(self) -> None:
        while not self.complete:
            await self._read_chunk()

    def _declared_or_limit(self) -> int:
        """Return the size of the body, as declared or else at most."""
        return self._limit if self._declared is None else max(int(self._declared), 1)

    async def _read_chunk(self) -> None:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        chunk = message.get("body", b"")
        if not self._content:
            self._content = chunk
        else:
            if isinstance(self._content, bytes):
                self._content = bytearray(self._content)
            self._content += chunk
        if len(self._content) > self._limit:
            raise _payload_too_large(self._limit)
        self.complete = not message.get("more_body", False)

    def _declares_more_than(self, size: int) -> bool:
        return self._declared is not None and (len(self._declared) > 18 or int(self._declared) > size)


def _payload_too_large(limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"The body is larger than {limit} bytes; send fewer items in one request")


class MediaTypes:
    """Media types of the bodies that an endpoint accepts."""

    def __init__(self, accepted: Sequence[str]) -> None:
        self._accepted = tuple(accepted)
        self._exact = frozenset(name.encode() for name in accepted)

    def check(self, headers: RequestHeaders) -> None:
        """Raise UnsupportedMediaType unless the content type is accepted, in UTF-8 and sent once, or missing.

        A compressed body is refused too.
        """
        if headers.content_encoding not in (None, b"", b"identity"):
            raise UnsupportedMediaType("Unsupported content encoding; send the body uncompressed")
        value = headers.content_type
        if value is None:
            return
        repeated = b"content-type" in headers.repeated
        if value in self._exact and not repeated:
            return
        kind, *parameters = value.decode("latin-1").lower().split(";")
        names = dict(part.strip().partition("=")[::2] for part in parameters)
        charset = names.get("charset", "utf-8").strip().strip('"')
        if repeated or kind.strip() not in self._accepted or charset not in ("utf-8", "utf8"):
            accepted = " or ".join(self._accepted)
            raise UnsupportedMediaType(f"Unsupported content type; send {accepted} in UTF-8")


VISIBLE = "[!-~]"
"""Characters of an `Idempotency-Key`: visible ASCII."""
LONGEST_KEY = 255
_KEY = re.compile(f"{VISIBLE}{{1,{LONGEST_KEY}}}")


def read_idempotency_key(headers: RequestHeaders) -> str | None:
    """Return the `Idempotency-Key`; raises BadRequest unless it is 1 to 255 visible ASCII characters, sent once."""
    if headers.idempotency_key is None:
        return None
    key = headers.idempotency_key.decode("latin-1")
    if b"idempotency-key" in headers.repeated or not _KEY.fullmatch(key):
        raise BadRequest(
            "The header Idempotency-Key must be sent once, with 1 to 255 visible ASCII characters"
        )
    return key


_encode_sorted = msgspec.json.Encoder(order="sorted").encode


def call_key(target: str, key: str, query: bytes, body: bytes) -> CallKey:
    """Return the key of a call; the order of its query counts, the spelling of its body does not."""
    comparable = comparable_body(body) if body else b""
    return CallKey(target, key, hashlib.sha256(b"%s\n%s" % (query, comparable)).digest())


def comparable_body(raw: bytes) -> bytes:
    """Return one form of all JSON bodies that decode to the same value, with null properties left out."""
    return _encode_sorted(_without_nulls(msgspec.json.decode(raw)))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value

"""What is read of a request before its body means anything: its headers, its size, its content type."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from firmograph.kit.errors import BadRequest, FirmographError, PayloadTooLarge, UnsupportedMediaType

BODY_SECONDS = 30.0
"""How long a client may take to send the body."""

SHORT_BYTES = 65_536
"""How much of a body may be held before the key is known to be right."""

_DROP_SECONDS = 1.0

Receive = Callable[[], Awaitable[Mapping[str, Any]]]


class Disconnected(Exception):
    """The client went away before its request was complete; there is nobody to answer."""


class RequestTimeout(FirmographError):
    status = 499
    public = f"The body did not arrive within {BODY_SECONDS:.0f} seconds"


class Fields(msgspec.Struct):
    """The header fields that matter here: None when absent, of several the last. `repeated` names those sent twice."""

    api_key: bytes | None = None
    content_type: bytes | None = None
    content_length: bytes | None = None
    idempotency_key: bytes | None = None
    forwarded: bytes | None = None
    forwarded_for: bytes | None = None
    forwarded_proto: bytes | None = None
    repeated: tuple[bytes, ...] = ()

    def key(self) -> str | None:
        """The API key; None when it is missing, empty or sent twice (decisions, row 9)."""
        if not self.api_key or b"api_key" in self.repeated:
            return None
        return self.api_key.decode("latin-1")


_FIELDS = {
    b"api_key": "api_key",
    b"content-type": "content_type",
    b"content-length": "content_length",
    b"idempotency-key": "idempotency_key",
    b"forwarded": "forwarded",
    b"x-forwarded-for": "forwarded_for",
    b"x-forwarded-proto": "forwarded_proto",
}


def read_fields(headers: list[tuple[bytes, bytes]]) -> Fields:
    fields = Fields()
    for name, value in headers:
        attribute = _FIELDS.get(name)
        if attribute is not None:
            if getattr(fields, attribute) is not None:
                fields.repeated += (name,)
            setattr(fields, attribute, value.strip())
    return fields


async def read_body(receive: Receive, content_length: bytes | None, limit: int) -> bytes:
    """The whole body, at most `limit` bytes of it; raises what `Body.read` does."""
    body = Body(receive, content_length, limit)
    await body.read()
    return body.content()


async def drop_short_body(receive: Receive, content_length: bytes | None) -> None:
    """Wait a moment for the end of a short body that is refused, as its connection can be used again only then."""
    with suppress(FirmographError, TimeoutError):
        async with asyncio.timeout(_DROP_SECONDS):
            await read_body(receive, content_length, SHORT_BYTES)


class Body:
    """The body of a request, of which at most `limit` bytes and one chunk are held, whatever length it declares."""

    def __init__(self, receive: Receive, content_length: bytes | None, limit: int) -> None:
        self._receive = receive
        self._declared = content_length if content_length is not None and content_length.isdigit() else None
        self._limit = limit
        self._ends_at = asyncio.get_running_loop().time() + BODY_SECONDS
        self._content: bytes | bytearray = b""
        self.whole = False

    async def read(self, at_first: int | None = None) -> None:
        """Read to the end, or with `at_first` only until more than so many bytes are known to come.

        Raises PayloadTooLarge as soon as the limit is passed, RequestTimeout when the body takes too long, and
        Disconnected.
        """
        if self.whole:
            return
        if self._declares_more(self._limit):
            raise _too_large(self._limit)
        if at_first is not None and self._declares_more(at_first):
            return
        try:
            async with asyncio.timeout_at(self._ends_at):
                while not self.whole and (at_first is None or len(self._content) <= at_first):
                    await self._read_part()
        except TimeoutError as error:
            raise RequestTimeout from error

    def content(self) -> bytes:
        return bytes(self._content)

    async def _read_part(self) -> None:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        part = message.get("body", b"")
        if not self._content:
            self._content = part
        else:
            if isinstance(self._content, bytes):
                self._content = bytearray(self._content)
            self._content += part
        if len(self._content) > self._limit:
            raise _too_large(self._limit)
        self.whole = not message.get("more_body", False)

    def _declares_more(self, than: int) -> bool:
        return self._declared is not None and (len(self._declared) > 18 or int(self._declared) > than)


def _too_large(limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"The body is larger than {limit} bytes; send fewer items in one request")


def check_media_type(fields: Fields) -> None:
    """A missing content type is read as JSON (decisions B); raises UnsupportedMediaType for any other, or two."""
    value = fields.content_type
    repeated = b"content-type" in fields.repeated
    if value is None or (value == b"application/json" and not repeated):
        return
    kind, *parameters = value.decode("latin-1").lower().split(";")
    names = dict(part.strip().partition("=")[::2] for part in parameters)
    charset = names.get("charset", "utf-8").strip().strip('"')
    if repeated or kind.strip() != "application/json" or charset not in ("utf-8", "utf8"):
        raise UnsupportedMediaType("Unsupported content type; send application/json in UTF-8")


_VISIBLE = re.compile(r"[!-~]{1,255}\Z")


def idempotency_key(fields: Fields) -> str | None:
    """The `Idempotency-Key`: 1 to 255 visible ASCII characters, else BadRequest."""
    if fields.idempotency_key is None:
        return None
    key = fields.idempotency_key.decode("latin-1")
    if b"idempotency-key" in fields.repeated or not _VISIBLE.match(key):
        raise BadRequest(
            "The header Idempotency-Key must be sent once, with 1 to 255 visible ASCII characters"
        )
    return key

"""Responses as ASGI applications."""

import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from firmograph.api.endpoint import Headers, Reply
from firmograph.api.envelope import ErrorShape, error_body
from firmograph.kit.errors import FirmographError
from firmograph.kit.whole_numbers import encode

_JSON = (b"content-type", b"application/json")
_NOSNIFF = (b"x-content-type-options", b"nosniff")
_WITHOUT_CONTENT = (204, 304)


class Response:
    """Complete ASGI response."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    async def __call__(self, scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


def new_request_id() -> str:
    return str(uuid.uuid4())


def render_response(
    status: int, request_id: str, body: bytes, headers: Headers, content_type: tuple[bytes, bytes] = _JSON
) -> Response:
    rendered = [_NOSNIFF, (b"x-request-id", request_id.encode()), *headers]
    if status not in _WITHOUT_CONTENT:
        rendered = [content_type, (b"content-length", b"%d" % len(body)), *rendered]
    return Response(status, rendered, body)


def render_error(
    error: FirmographError, request_id: str, headers: Headers, shape: ErrorShape = "current"
) -> Response:
    own = [(name.encode(), value.encode("latin-1")) for name, value in error.headers().items()]
    return render_response(error.status, request_id, error_body(error, shape), [*headers, *own])


def render_success(
    result: bytes | msgspec.Struct | Reply,
    status: int,
    request_id: str,
    headers: Headers,
    content_type: tuple[bytes, bytes],
) -> Response:
    """Return the response of a result; `content_type` is that of bytes."""
    if isinstance(result, bytes):
        return render_response(status, request_id, result, headers, content_type)
    if isinstance(result, Reply):
        own = (b"content-type", result.media_type.encode())
        return render_response(result.status, request_id, result.body, [*headers, *result.headers], own)
    return render_response(status, request_id, encode(result), headers)

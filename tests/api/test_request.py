import asyncio

import pytest

from firmograph.api import request as incoming
from firmograph.api.request import (
    Disconnected,
    MediaTypes,
    RequestTimeout,
    read_body,
    read_idempotency_key,
    read_request_headers,
)
from firmograph.kit.errors import BadRequest, PayloadTooLarge, UnsupportedMediaType

pytestmark = pytest.mark.no_database

LIMIT = 100


class Client:
    """A client that sends a body in parts and counts the parts read."""

    def __init__(self, *parts: bytes, disconnects: bool = False) -> None:
        self.parts = list(parts)
        self.disconnects = disconnects
        self.parts_read = 0

    async def receive(self):
        if not self.parts:
            assert self.disconnects, "more was read than was sent"
            return {"type": "http.disconnect"}
        self.parts_read += 1
        part = self.parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(self.parts) or self.disconnects}


def read(client: Client, content_length: bytes | None = None) -> bytes:
    return asyncio.run(read_body(client.receive, content_length, LIMIT))


def test_a_body_in_parts_is_joined():
    assert read(Client(b"a" * 40, b"", b"b" * 60)) == b"a" * 40 + b"b" * 60


def test_a_body_of_the_limit_is_read():
    assert len(read(Client(b"a" * LIMIT), b"100")) == LIMIT


@pytest.mark.parametrize("declared", [b"101", b"9" * 5_000])
def test_a_body_that_is_declared_too_large_is_not_read_at_all(declared):
    client = Client(b"a")
    with pytest.raises(PayloadTooLarge):
        read(client, declared)
    assert client.parts_read == 0


@pytest.mark.parametrize("declared", [None, b"5", b"-1", b"x"])
def test_reading_ends_as_soon_as_the_limit_is_passed(declared):
    client = Client(*[b"a" * 30] * 50)
    with pytest.raises(PayloadTooLarge, match="100 bytes"):
        read(client, declared)
    assert client.parts_read == 4


def test_one_part_over_the_limit_is_refused():
    with pytest.raises(PayloadTooLarge):
        read(Client(b"a" * 101))


@pytest.mark.parametrize("parts", [[], [b"half"]])
def test_a_client_that_disconnects_is_not_answered(parts):
    with pytest.raises(Disconnected):
        read(Client(*parts, disconnects=True))


@pytest.mark.parametrize("sent", [[], [b"half"]])
def test_reading_a_body_that_does_not_arrive_times_out(monkeypatch, sent):
    monkeypatch.setattr(incoming, "BODY_SECONDS", 0)

    class Stalled(Client):
        async def receive(self):
            return await super().receive() if self.parts else await asyncio.Event().wait()

    with pytest.raises(RequestTimeout) as refused:
        read(Stalled(*sent, disconnects=True), b"9")
    assert refused.value.status == 499


@pytest.mark.parametrize(
    ("headers", "key"),
    [
        ([(b"api_key", b"a"), (b"accept", b"*/*")], "a"),
        ([], None),
        ([(b"api-key", b"a"), (b"x-api-key", b"a")], None),
        ([(b"api_key", b"")], None),
        ([(b"api_key", b" \t ")], None),
        ([(b"api_key", b" \ta ")], "a"),
        ([(b"api_key", b"a"), (b"api_key", b"a")], None),
        ([(b"api_key", b""), (b"api_key", b"a")], None),
    ],
)
def test_the_key_is_the_one_value_of_one_header(headers, key):
    assert read_request_headers(headers).single_api_key() == key


@pytest.mark.parametrize("first", [b"text/plain", b"application/json"])
def test_two_content_types_are_refused_in_any_order(first):
    fields = read_request_headers([(b"content-type", first), (b"content-type", b"application/json")])
    with pytest.raises(UnsupportedMediaType):
        MediaTypes(["application/json"]).check(fields)


@pytest.mark.parametrize("key", ["", "a b", "a\0", "é", "x" * 256])
def test_an_idempotency_key_that_is_not_visible_ascii_text_is_refused(key):
    headers = read_request_headers([(b"idempotency-key", key.encode())])
    with pytest.raises(BadRequest, match="255 visible ASCII"):
        read_idempotency_key(headers)


def test_a_repeated_idempotency_key_is_refused():
    headers = read_request_headers([(b"idempotency-key", b"k"), (b"idempotency-key", b"k")])
    with pytest.raises(BadRequest, match="must be sent once"):
        read_idempotency_key(headers)

"""The part of a body that is read before the key is known, here or by another machine."""

import asyncio

import pytest

from firmograph.api.body_budget import SHORT_BYTES
from toy_api import toy_app

pytestmark = pytest.mark.no_database

SOUND = b'{"contacts":[{"firstName":"Ann"}]}'
LARGE = SOUND + b" " * 100_000
PART = 10_000


class Caller:
    """A client that sends a body in parts and counts the bytes read."""

    def __init__(self, body: bytes, *, authenticates_remotely: bool = True) -> None:
        self.body = body
        self.authenticates_remotely = authenticates_remotely
        self.bytes_read = 0

    async def receive(self):
        part = self.body[self.bytes_read : self.bytes_read + PART]
        self.bytes_read += len(part)
        return {"type": "http.request", "body": part, "more_body": self.bytes_read < len(self.body)}

    def call(self, *headers) -> int:
        """Return the status of the answer to a call with these headers."""
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/parts",
            "raw_path": b"/parts",
            "root_path": "",
            "query_string": b"",
            "headers": list(headers),
            "http_version": "1.1",
            "scheme": "https",
            "server": ("localhost", 443),
            "client": ("192.0.2.1", 1),
            "state": {},
        }
        sent = []

        async def send(message):
            sent.append(message)

        asyncio.run(
            toy_app(200_000, authenticates_remotely=self.authenticates_remotely)(scope, self.receive, send)
        )
        return sent[0]["status"]


def declared(body):
    return (b"content-length", b"%d" % len(body))


CHUNKED = (b"transfer-encoding", b"chunked")
WRONG = (b"api_key", b"wrong")
KNOWN = (b"api_key", b"me")


each_way = pytest.mark.parametrize("authenticates_remotely", [False, True])


@each_way
def test_nothing_of_a_large_body_is_read_for_a_wrong_key(authenticates_remotely):
    caller = Caller(LARGE, authenticates_remotely=authenticates_remotely)
    assert (caller.call(WRONG, declared(LARGE)), caller.bytes_read) == (401, 0)


@each_way
def test_only_the_beginning_of_a_body_of_unknown_length_is_read_for_a_wrong_key(authenticates_remotely):
    caller = Caller(LARGE, authenticates_remotely=authenticates_remotely)
    assert caller.call(WRONG, CHUNKED) == 401
    assert SHORT_BYTES < caller.bytes_read <= SHORT_BYTES + PART


@each_way
def test_a_short_body_is_read_completely_so_that_its_connection_is_reusable(authenticates_remotely):
    caller = Caller(SOUND, authenticates_remotely=authenticates_remotely)
    assert (caller.call(WRONG, declared(SOUND)), caller.bytes_read) == (401, len(SOUND))


@pytest.mark.parametrize("body", [SOUND, LARGE])
@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_of_any_length_are_answered_with_a_known_key(body, chunked):
    caller = Caller(body)
    assert caller.call(KNOWN, CHUNKED if chunked else declared(body)) == 200
    assert caller.bytes_read == len(body)


def test_a_large_body_is_refused_by_its_size_only_after_the_key():
    too_large = b" " * 300_000
    assert Caller(too_large).call(KNOWN, declared(too_large)) == 413
    assert Caller(too_large).call(KNOWN, CHUNKED) == 413
    assert Caller(too_large).call(WRONG, declared(too_large)) == 401

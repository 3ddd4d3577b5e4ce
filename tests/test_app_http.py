"""Malformed requests to a real server process: each gets the specified body, never a 5xx."""

import json

import pytest

import database_fixtures
from command_fixtures import InProcess
from server_fixtures import Server, free_port

pytestmark = pytest.mark.any_database

BODY = b'{"contacts":[{"email":"ann@example.com"}]}'


@pytest.fixture(scope="module")
def http(tmp_path_factory):
    """Return one server for the module, with one key."""
    folder = tmp_path_factory.mktemp("served")
    command = InProcess(folder, database_fixtures.fresh(folder))
    command.json("account", "create", "Acme", "--credits", "100")
    server = Server(command, free_port())
    server.key = command.json("key", "create", "--account", "Acme")["apiKey"].encode()
    server.wait_until_ready()
    yield server
    server.stop()
    database_fixtures.drop(command.database_url)


def request(http, body=BODY, *, path=b"/v3/contacts/search", method=b"POST", headers=(), length=True):
    given = [b"host: localhost", b"connection: close", b"api_key: " + http.key, *headers]
    if length:
        given.append(b"content-length: %d" % len(body))
    return b"\r\n".join([b"%s %s HTTP/1.1" % (method, path), *given, b"", body])


def answer(raw):
    """Return status, headers and decoded body of the last answer on a connection."""
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, json.loads(body)


def refused(http, raw, status):
    found, headers, body = answer(http.exchange(raw))
    assert (found, body["statusCode"]) == (status, status)
    assert body["message"]
    assert headers["content-type"] == "application/json"
    assert headers["x-request-id"]
    return body["message"]


def test_a_valid_request_is_answered(http):
    status, headers, body = answer(http.exchange(request(http)))
    assert status == 200
    assert body["requestId"] == headers["x-request-id"]
    assert len([name for name in headers if "-requests-left" in name or "rate-limit" in name]) == 6


def test_spaces_around_a_key_are_ignored(http):
    raw = request(http).replace(b"api_key: " + http.key, b"api_key: \t " + http.key + b" \t")
    assert answer(http.exchange(raw))[0] == 200


CHUNK = b"%x\r\n%s\r\n" % (65536, b" " * 65536)
CHUNKED = [b"transfer-encoding: chunked", b"content-type: application/json"]


def test_a_chunked_body_is_read(http):
    raw = request(http, b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY), headers=CHUNKED, length=False)
    assert answer(http.exchange(raw))[0] == 200


def test_too_many_chunks_are_refused_before_they_end(http):
    raw = request(http, CHUNK * 40 + b"0\r\n\r\n", headers=CHUNKED, length=False)
    assert "1048576 bytes" in refused(http, raw, 413)


def test_a_large_declared_length_is_refused_without_waiting_for_the_body(http):
    raw = request(http, b"", headers=[b"content-length: 99999999999"], length=False)
    assert "1048576 bytes" in refused(http, raw, 413)


def test_a_body_longer_than_declared_is_cut_at_the_declared_length(http):
    short = b"content-length: %d" % (len(BODY) - 1)
    assert "not valid JSON" in refused(http, request(http, headers=[short], length=False), 400)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"path": b"/v3/contacts/nothing"}, 404),
        ({"path": b"/v3/contacts/search%00"}, 404),
        ({"path": b"/%ff%fe"}, 404),
        ({"path": b"/" + b"a" * 5_000}, 404),
        ({"method": b"PUT"}, 405),
        ({"method": b"GET"}, 405),
        ({"headers": [b"api_key: again"]}, 401),
        ({"headers": [b"content-type: text/plain"]}, 415),
        ({"headers": [b"content-type: application/json; charset=utf-16"]}, 415),
        ({"body": b""}, 400),
        ({"body": b"{"}, 400),
        ({"body": b"\xff\xfe{\x00"}, 400),
        ({"body": b"[" * 500_000}, 400),
        ({"body": b'{"contacts":' * 80_000}, 400),
        ({"body": b'{"contacts":[{"email":"a\\u0000@example.com"}]}'}, 400),
        ({"body": b'{"contacts":[{"email":"a\x00@example.com"}]}'}, 400),
        ({"body": b'{"contacts":[{"email":"\xc3\x28@example.com"}]}'}, 400),
        ({"body": b'{"contacts":[{"id":1' + b"0" * 5_000 + b"}]}"}, 400),
        ({"body": b'{"contacts":[],"contacts":[{"id":"1"}]}'}, 400),
        ({"body": b'{"contacts":[{"id":"1","id":"1"}]}'}, 400),
        ({"body": b'{"contacts":[{"id":"\\ud800"}]}'}, 400),
        ({"body": b'{"contacts":[{"id":null}]}'}, 400),
        ({"body": b'{"contacts":[{}]}'}, 400),
        ({"body": json.dumps({"contacts": [{"id": "1"}] * 101}).encode()}, 400),
    ],
)
def test_a_malformed_request_is_refused_in_the_specified_body(http, change, status):
    refused(http, request(http, **change), status)


@pytest.mark.parametrize(
    "raw",
    [
        b"HELLO\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /v3/contacts/search HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        b"POST /v3/contacts/search HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /health HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nhost: x\r\n\r\n",
    ],
)
def test_a_request_other_than_http_is_refused_in_the_specified_body_too(http, raw):
    refused(http, raw, 400)


def test_nothing_was_charged_and_the_server_is_still_running(http):
    status, _, body = answer(
        http.exchange(request(http, b"", path=b"/v3/account/usage", method=b"GET", length=False))
    )
    assert status == 200
    assert body["credits"]["used"] == 0

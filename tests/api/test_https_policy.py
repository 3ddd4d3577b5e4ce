"""Plain HTTP is refused unless it stays on this machine or a trusted proxy vouches for TLS (`require_https`)."""

import asyncio

import httpx
import pytest

from firmograph.api.https_policy import HttpsPolicy, PlainHttp
from firmograph.api.request import read_request_headers
from firmograph.api.trusted_proxies import TrustedProxies, trusted_networks
from firmograph.kit.errors import Refused
from firmograph.settings import load_settings

pytestmark = pytest.mark.any_database

PROXIES = TrustedProxies(trusted_networks("10.0.0.0/8, 192.168.7.7, 2001:db8:5::/48"))
REMOTE = "203.0.113.5"

ANSWERED, REFUSED = True, False

CASES = [
    # the connection alone
    ("http", "127.0.0.1", [], ANSWERED),
    ("http", "127.8.9.1", [], ANSWERED),
    ("http", "::1", [], ANSWERED),
    ("http", "::ffff:127.0.0.1", [], ANSWERED),
    ("http", REMOTE, [], REFUSED),
    ("http", "2001:db8::9", [], REFUSED),
    ("http", "0.0.0.0", [], REFUSED),
    ("http", "testclient", [], REFUSED),
    ("http", "", [], REFUSED),
    ("http", None, [], REFUSED),
    ("https", REMOTE, [], ANSWERED),
    ("https", None, [], ANSWERED),
    # a trusted proxy vouches for TLS, or does not
    ("http", "10.1.2.3", [], REFUSED),
    ("http", "10.1.2.3", ["x-forwarded-proto: https"], ANSWERED),
    ("http", "::ffff:10.1.2.3", ["x-forwarded-proto: https"], ANSWERED),
    ("http", "192.168.7.7", ["x-forwarded-proto: https"], ANSWERED),
    ("http", "2001:db8:5:1::9", ["x-forwarded-proto: https"], ANSWERED),
    ("http", "10.1.2.3", ["x-forwarded-proto:  HTTPS "], ANSWERED),
    ("http", "10.1.2.3", ["x-forwarded-proto: http"], REFUSED),
    ("http", "10.1.2.3", ["x-forwarded-proto: wss"], REFUSED),
    ("http", "10.1.2.3", ["x-forwarded-proto: "], REFUSED),
    ("http", "10.1.2.3", ["x-forwarded-proto: \xe9"], REFUSED),
    ("http", "10.1.2.3", ["x-forwarded-proto: http", "x-forwarded-for: 127.0.0.1"], REFUSED),
    ("http", "10.1.2.3", ["x-forwarded-for: 127.0.0.1"], REFUSED),
    # the nearest proxy wrote the last value
    ("http", "10.1.2.3", ["x-forwarded-proto: http, https"], ANSWERED),
    ("http", "10.1.2.3", ["x-forwarded-proto: https, http"], REFUSED),
    ("http", "10.1.2.3", ["x-forwarded-proto: https,"], REFUSED),
    ("http", "10.1.2.3", ["x-forwarded-proto: http", "x-forwarded-proto: https"], ANSWERED),
    ("http", "10.1.2.3", ["x-forwarded-proto: https", "x-forwarded-proto: http"], REFUSED),
    # others are never believed, to their advantage or disadvantage
    ("http", REMOTE, ["x-forwarded-proto: https"], REFUSED),
    ("http", REMOTE, ["forwarded: proto=https"], REFUSED),
    ("http", REMOTE, ["x-forwarded-for: 127.0.0.1"], REFUSED),
    ("http", "192.168.7.8", ["x-forwarded-proto: https"], REFUSED),
    ("https", REMOTE, ["x-forwarded-proto: http"], ANSWERED),
    # a proxy reports a client that used plain HTTP
    ("https", "10.1.2.3", ["x-forwarded-proto: http"], REFUSED),
    ("https", "10.1.2.3", ["x-forwarded-for: 203.0.113.5"], ANSWERED),
    ("http", "127.0.0.1", ["x-forwarded-proto: http", f"x-forwarded-for: {REMOTE}"], REFUSED),
    ("https", "127.0.0.1", ["x-forwarded-proto: http", f"x-forwarded-for: {REMOTE}"], REFUSED),
    ("http", "127.0.0.1", ["x-forwarded-proto: https", f"x-forwarded-for: {REMOTE}"], ANSWERED),
    ("http", "127.0.0.1", [f"x-forwarded-for: {REMOTE}"], ANSWERED),
    ("http", "127.0.0.1", ["x-forwarded-proto: http", "x-forwarded-for: 127.0.0.1"], ANSWERED),
    ("http", "127.0.0.1", ["x-forwarded-proto: http", "x-forwarded-for: 127.0.0.1:4711"], ANSWERED),
    ("http", "127.0.0.1", ["x-forwarded-proto: http", "x-forwarded-for: [::1]:4711"], ANSWERED),
    ("http", "127.0.0.1", ["x-forwarded-proto: http", "x-forwarded-for: ::1"], ANSWERED),
    ("http", "127.0.0.1", ["x-forwarded-proto: http", f"x-forwarded-for: 127.0.0.1, {REMOTE}"], REFUSED),
    ("http", "127.0.0.1", ["x-forwarded-proto: http", f"x-forwarded-for: {REMOTE}, 127.0.0.1"], REFUSED),
    ("http", "127.0.0.1", ["x-forwarded-proto: http", "x-forwarded-for: unknown"], REFUSED),
    ("http", "127.0.0.1", ["x-forwarded-proto: http"], REFUSED),
    # the same as in RFC 7239, where the other header is not sent
    ("http", "10.1.2.3", ["forwarded: for=203.0.113.5;proto=https"], ANSWERED),
    ("http", "10.1.2.3", ["forwarded: for=203.0.113.5; Proto=HTTPS;by=_x"], ANSWERED),
    ("http", "10.1.2.3", ['forwarded: for="[2001:db8::1]:80";proto="https"'], ANSWERED),
    ("http", "10.1.2.3", ["forwarded: proto=https, for=203.0.113.5;proto=http"], REFUSED),
    ("http", "10.1.2.3", ["forwarded: proto=https, for=203.0.113.5"], REFUSED),
    ("http", "10.1.2.3", ["forwarded: proto=https;proto=https"], REFUSED),
    ("http", "10.1.2.3", ['forwarded: proto=http;host="a,proto=https"'], REFUSED),
    ("http", "10.1.2.3", ['forwarded: proto=https;a=", proto=http;for="[::1]"'], REFUSED),
    ("http", "10.1.2.3", ['forwarded: proto=https;a="\\", proto=http;for="[::1]"'], REFUSED),
    ("http", "10.1.2.3", ["x-forwarded-proto: http", "forwarded: proto=https"], REFUSED),
    ("http", "10.1.2.3", ["x-forwarded-proto: https", "forwarded: proto=http"], ANSWERED),
    ("http", "127.0.0.1", ["forwarded: for=203.0.113.5;proto=http"], REFUSED),
    ("http", "127.0.0.1", ['forwarded: for="[::1]:80";proto=http'], ANSWERED),
]


def answered(transport, scheme, host, headers):
    given = [tuple(part.strip(" ").encode("latin-1") for part in line.split(":", 1)) for line in headers]
    scope = {"scheme": scheme, "client": None if host is None else (host, 4711), "headers": given}
    try:
        transport.check(scope, read_request_headers(given))
    except PlainHttp:
        return REFUSED
    return ANSWERED


@pytest.mark.parametrize(("scheme", "host", "headers", "expected"), CASES)
def test_plain_http_is_refused(scheme, host, headers, expected):
    transport = HttpsPolicy(required=True, proxies=PROXIES)
    assert answered(transport, scheme, host, headers) is expected
    assert answered(transport, scheme, host, headers) is expected


@pytest.mark.parametrize(("scheme", "host", "headers", "expected"), CASES)
def test_plain_http_is_answered_where_https_is_not_required(scheme, host, headers, expected):
    assert answered(HttpsPolicy(required=False, proxies=PROXIES), scheme, host, headers)


def test_no_proxy_is_trusted_unless_named():
    assert answered(HttpsPolicy(required=True), "http", "10.1.2.3", ["x-forwarded-proto: https"]) is REFUSED


def test_whether_https_is_required_is_true_or_false():
    assert load_settings({"FIRMOGRAPH_REQUIRE_HTTPS": "false"}).require_https is False
    with pytest.raises(Refused, match=r"^FIRMOGRAPH_REQUIRE_HTTPS: must be true or false$"):
        load_settings({"FIRMOGRAPH_REQUIRE_HTTPS": "maybe"})


@pytest.fixture
def service(shared_service):
    return shared_service.with_account()


def send(service, method, path, *, client=(REMOTE, 1), **headers):
    """Return a function that sends plain HTTP from an address."""

    async def sent():
        transport = httpx.ASGITransport(service.app, client=client)
        async with httpx.AsyncClient(transport=transport, base_url="http://firmograph.test") as caller:
            return await caller.request(method, path, headers=headers)

    return asyncio.run(sent())


@pytest.mark.parametrize("key", [{}, {"api_key": "unknown"}, {"api_key": "of the account"}])
def test_the_refusal_says_what_to_do_and_the_key_is_not_looked_up(service, key):
    if key.get("api_key") == "of the account":
        key = {"api_key": service.key}
    answer = send(service, "POST", "/v3/contacts/search", **key)
    assert answer.status_code == 403
    assert answer.json() == {"statusCode": 403, "message": "Plain HTTP is refused; use https://"}
    assert answer.headers["x-request-id"]
    assert not [name for name in answer.headers if "rate-limit" in name or "usage" in name]


@pytest.mark.parametrize("path", ["/docs", "/openapi.json", "/metrics"])
def test_pages_that_need_no_key_are_refused_over_plain_http_too(service, path):
    assert send(service, "GET", path).json()["message"] == "Plain HTTP is refused; use https://"


def test_health_is_answered_over_plain_http(service):
    assert send(service, "GET", "/health").status_code == 200


def test_refusals_of_plain_http_are_counted(make_service):
    service = make_service()
    send(service, "POST", "/v3/contacts/search")
    local = send(service, "GET", "/metrics", client=("127.0.0.1", 1))
    assert 'firmograph_requests_total{endpoint="search_contacts",status="403"} 1.0' in local.text


def test_a_trusted_proxy_is_a_setting(make_service):
    service = make_service(trusted_proxies="10.0.0.0/8")
    given = {"api_key": service.key, "x-forwarded-proto": "https"}
    assert send(service, "GET", "/v3/account/usage", client=("10.9.9.9", 1), **given).status_code == 200
    assert send(service, "GET", "/v3/account/usage", client=("11.9.9.9", 1), **given).status_code == 403


def test_plain_http_is_answered_where_the_operator_allows_it(make_service):
    service = make_service(require_https=False)
    assert send(service, "GET", "/v3/account/usage", api_key=service.key).status_code == 200

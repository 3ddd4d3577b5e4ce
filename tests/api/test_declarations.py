"""What an endpoint can declare, each shown by an endpoint of the test's own behind the real dispatcher."""

from typing import Annotated, Literal

import msgspec
import pytest
import schemathesis
from litestar.testing import TestClient
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.endpoint import Call, Endpoint
from firmograph.api.https_policy import HttpsPolicy
from firmograph.api.openapi import build_openapi
from firmograph.api.trusted_proxies import TrustedProxies, trusted_networks
from firmograph.caller import AnonymousCaller, ApiKeyCaller, UserCaller
from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Conflict, Forbidden
from toy_api import toy_app

pytestmark = pytest.mark.no_database

KEY = {"api_key": "me"}
PROXIES = TrustedProxies(trusted_networks("10.0.0.0/8"))


class Note(msgspec.Struct, forbid_unknown_fields=True):
    text: Annotated[str, Meta(max_length=20)]


class Seen(msgspec.Struct):
    value: str


class Cause(msgspec.Struct, forbid_unknown_fields=True):
    cause: Literal["plain", "named", "number"]


class Search(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    reveal_phones: bool = False
    partial: bool | UnsetType = UNSET
    signals: Annotated[list[Literal["promotion", "companyChange"]], Meta(max_length=2)] = []
    pages: list[Annotated[int, Meta(ge=0, le=9)]] = []


def show_caller(call):
    return Seen(call.caller.address if isinstance(call.caller, AnonymousCaller) else call.account)


def show_query(call):
    query = call.query
    return Seen(f"{query.reveal_phones} {query.partial} {query.signals} {query.pages}")


def show_body(call):
    return Seen(call.body.text if isinstance(call.body, Note) else repr(call.body))


def refuse(call):
    raise {
        "plain": Conflict("taken"),
        "named": Conflict("taken", code="TAKEN"),
        "number": Forbidden("too many", ["a", "b"], code=1042),
    }[call.query.cause]


def declare(name, function, method="GET", **declared):
    return Endpoint(name=name, method=method, path=f"/{name}", function=function, answer=Seen, **declared)


ENDPOINTS = [
    declare("keyed", show_caller),
    declare("open", show_caller, authentication="none"),
    declare("limited", show_caller, authentication="none", address_limit=2),
    declare("limited_too", show_caller, authentication="none", address_limit=2),
    declare("query", show_query, query=Search),
    declare("strict", show_query, query=Search, refuses_unknown_query=True),
    declare("beacon", show_body, "POST", body=Note, accepts=("application/json", "text/plain")),
    declare("upload", show_body, "POST", body=bytes, accepts=("text/csv",)),
    declare(
        "short", lambda call: b"", "POST", body=Note, authentication="none", max_body_bytes=20, status=204
    ),
    declare("page", lambda call: b"<p>", authentication="none", media_type="text/html"),
    declare("dated", show_caller, headers=((b"deprecation", b"@1735689600"), (b"vary", b"origin"))),
    declare("current", refuse, query=Cause, errors=[Conflict, Forbidden]),
    declare("numbered", refuse, query=Cause, errors=[Conflict], error_shape="numbered"),
    declare("older", refuse, query=Cause, errors=[Conflict], error_shape="older"),
]


@pytest.fixture
def clock():
    return SetClock(120.0)


@pytest.fixture
def client(clock):
    app = toy_app(endpoints=ENDPOINTS, clock=clock, https_policy=HttpsPolicy(required=False, proxies=PROXIES))
    with TestClient(at_address(app)) as client:
        yield client


def at_address(app):
    """Serve requests as if they came from the address in the header `from`."""

    async def serve(scope, receive, send):
        peer = dict(scope.get("headers", ())).get(b"from", b"203.0.113.5").decode()
        await app({**scope, "client": (peer, 1)}, receive, send)

    return serve


def value(answer):
    assert answer.status_code == 200, answer.text
    return answer.json()["value"]


def message(answer):
    return answer.status_code, answer.json()["message"]


def test_an_endpoint_asks_for_a_key_unless_it_declares_no_authentication(client):
    assert client.get("/keyed").status_code == 401
    assert value(client.get("/keyed", headers=KEY)) == "me"
    assert value(client.get("/open")) == "203.0.113.5"


def test_an_anonymous_caller_has_the_address_behind_trusted_proxies(client):
    forwarded = {"from": "10.0.0.1", "x-forwarded-for": "198.51.100.1, 203.0.113.9, 10.0.0.2"}
    assert value(client.get("/open", headers=forwarded)) == "203.0.113.9"


def test_only_callers_of_an_account_have_an_account():
    calls = [
        Call("", caller, None, b"", None, "", 0.0, {})
        for caller in (ApiKeyCaller(7, None, "names"), UserCaller(7, None, "names", 3))
    ]
    assert [call.account.account_id for call in calls] == [7, 7]
    with pytest.raises(TypeError, match="no account"):
        _ = Call("", AnonymousCaller(None), None, b"", None, "", 0.0, {}).account


def limited(client, address, path="/limited"):
    return client.get(path, headers={"from": address}).status_code


def test_an_endpoint_may_take_shorter_bodies_than_others_and_answer_nothing(client):
    taken = client.post("/short", json={"text": "x"})
    assert (taken.status_code, taken.content) == (204, b"")
    assert not {"content-type", "content-length"} & taken.headers.keys()
    refused = client.post("/short", json={"text": "x" * 20})
    assert message(refused) == (413, "The body is larger than 20 bytes; send fewer items in one request")


def test_a_public_endpoint_may_be_limited_by_address(client, clock):
    assert [limited(client, "203.0.113.5") for _ in range(3)] == [200, 200, 429]
    refused = client.get("/limited")
    assert refused.headers["retry-after"] == "60"
    assert message(refused) == (
        429,
        "Too many requests: at most 2 a minute from one address; resets in 60 seconds",
    )
    assert limited(client, "203.0.113.6") == limited(client, "203.0.113.5", "/limited_too") == 200
    clock.advance(60)
    assert limited(client, "203.0.113.5") == 200


def test_addresses_of_one_ipv6_network_share_a_limit(client):
    assert [limited(client, f"2001:db8::{number}") for number in range(3)] == [200, 200, 429]
    assert limited(client, "2001:db8:0:1::1") == 200


def test_unknown_addresses_share_a_limit(client):
    headers = {"from": "10.0.0.1", "x-forwarded-for": "unknown"}
    assert [client.get("/limited", headers=headers).status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "False UNSET [] []"),
        ("?revealPhones=true&partial=false", "True False [] []"),
        ("?partial=", "False UNSET [] []"),
        ("?signals=promotion", "False UNSET ['promotion'] []"),
        ("?signals=promotion&pages=3&signals=companyChange&pages=4&signals=", None),
    ],
)
def test_query_parameters_may_be_booleans_and_repeated(client, query, expected):
    expected = expected or "False UNSET ['promotion', 'companyChange'] [3, 4]"
    assert value(client.get(f"/query{query}", headers=KEY)) == expected


@pytest.mark.parametrize(
    ("query", "refusal"),
    [
        ("?revealPhones=True", "revealPhones must be a boolean"),
        ("?revealPhones=1", "revealPhones must be a boolean"),
        ("?revealPhones=true&revealPhones=true", "revealPhones should not be repeated"),
        ("?signals=other", "signals.0 must be one of: companyChange, promotion"),
        ("?pages=1&pages=x", "pages.1 must be an integer"),
        (f"?{'&signals=promotion' * 3}", "signals must have at most 2 elements"),
    ],
)
def test_an_invalid_boolean_or_item_is_refused_by_name(client, query, refusal):
    assert message(client.get(f"/query{query}", headers=KEY)) == (400, refusal)


def test_unknown_query_names_are_ignored_unless_the_endpoint_refuses_them(client):
    assert client.get("/query?utm=1", headers=KEY).status_code == 200
    refused = client.get("/strict?utm=1&partial=true&x=", headers=KEY)
    assert message(refused) == (400, "property utm should not exist")
    assert value(client.get("/strict?partial=true", headers=KEY)) == "False True [] []"


@pytest.mark.parametrize("media_type", ["application/json", "text/plain;charset=UTF-8"])
def test_json_is_read_under_each_declared_media_type(client, media_type):
    sent = {"content": b'{"text":"hi"}', "headers": KEY | {"content-type": media_type}}
    assert value(client.post("/beacon", **sent)) == "hi"


def test_a_body_of_bytes_arrives_as_sent(client):
    sent = client.post("/upload", content=b"a,b\n", headers=KEY | {"content-type": "text/csv"})
    assert value(sent) == repr(b"a,b\n")


@pytest.mark.parametrize(("encoding", "status"), [("identity", 200), ("gzip", 415), ("br, gzip", 415)])
def test_a_compressed_body_is_refused_as_such(client, encoding, status):
    headers = KEY | {"content-encoding": encoding, "content-type": "application/json"}
    answer = client.post("/beacon", content=b'{"text":"hi"}', headers=headers)
    assert answer.status_code == status
    assert status == 200 or "send the body uncompressed" in answer.text


@pytest.mark.parametrize(
    ("path", "accepted"), [("/beacon", "application/json or text/plain"), ("/upload", "text/csv")]
)
def test_other_media_types_are_refused_with_the_declared_ones(client, path, accepted):
    refused = client.post(path, content=b"{}", headers=KEY | {"content-type": "text/html"})
    assert message(refused) == (415, f"Unsupported content type; send {accepted} in UTF-8")


def test_a_response_has_the_declared_media_type(client):
    answer = client.get("/page")
    assert (answer.headers["content-type"], answer.text) == ("text/html", "<p>")


@pytest.mark.parametrize("headers", [KEY, {}, {"api_key": "fast"}])
def test_fixed_headers_are_on_every_response(client, headers):
    answer = client.get("/dated", headers=headers)
    assert (answer.headers["deprecation"], answer.headers["vary"]) == ("@1735689600", "origin")
    assert ("x-rate-limit-minute" in answer.headers) is bool(headers)


TAKEN = {"statusCode": 409, "message": "taken"}
MANY = {"statusCode": 403, "message": "too many", "errors": ["a", "b"]}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/current?cause=plain", TAKEN),
        ("/current?cause=named", TAKEN | {"code": "TAKEN"}),
        ("/current?cause=number", MANY | {"code": 1042}),
        ("/numbered?cause=plain", TAKEN | {"code": 409}),
        ("/numbered?cause=named", TAKEN | {"code": 409}),
        ("/numbered?cause=number", MANY | {"code": 1042}),
        ("/older?cause=plain", TAKEN | {"error": {"code": "CONFLICT", "message": "taken"}}),
        ("/older?cause=named", TAKEN | {"error": {"code": "TAKEN", "message": "taken"}}),
        ("/older?cause=number", MANY | {"error": {"code": "FORBIDDEN", "message": "too many"}}),
    ],
)
def test_an_error_body_has_the_declared_shape(client, path, expected):
    assert client.get(path, headers=KEY).json() == expected


def test_refusals_before_the_function_have_the_declared_shape_too(client):
    refused = client.get("/older?cause=plain").json()
    assert refused["error"] == {"code": "UNAUTHORIZED", "message": refused["message"]}
    assert client.get("/numbered?cause=none", headers=KEY).json()["code"] == 400


@pytest.mark.parametrize(
    "declared",
    [
        {"authentication": "none", "charges": True},
        {"authentication": "none", "window": "usage"},
        {"address_limit": 5},
        {"refuses_unknown_query": True},
    ],
)
def test_declarations_that_contradict_each_other_are_refused(declared):
    with pytest.raises(ValueError, match="GET /wrong"):
        declare("wrong", show_caller, **declared)


@pytest.fixture(scope="module")
def described():
    return build_openapi(ENDPOINTS, version="1", max_body_bytes=100)


def test_declarations_are_described_as_valid_openapi(described):
    schemathesis.openapi.from_dict(described).validate()


def test_what_an_endpoint_declares_is_described(described):
    paths = described["paths"]
    assert [*paths["/beacon"]["post"]["requestBody"]["content"]] == ["application/json", "text/plain"]
    assert paths["/upload"]["post"]["requestBody"]["content"] == {"text/csv": {"schema": {"type": "string"}}}
    responses = paths["/limited"]["get"]["responses"]
    assert responses["429"] == {"$ref": "#/components/responses/PublicError429"}
    assert "429" not in paths["/open"]["get"]["responses"]
    headers = paths["/dated"]["get"]["responses"]["200"]["headers"]
    assert headers["vary"]["schema"] == {"type": "string", "const": "origin"}
    schemas = {each["name"]: each["schema"]["type"] for each in paths["/query"]["get"]["parameters"]}
    assert schemas == {
        "revealPhones": "boolean",
        "partial": "boolean",
        "signals": "array",
        "pages": "array",
    }


@pytest.mark.parametrize(
    ("path", "name", "body"),
    [
        ("/current", "Error409", "ErrorBody"),
        ("/numbered", "NumberedError409", "NumberedErrorBody"),
        ("/older", "OlderError409", "OlderErrorBody"),
    ],
)
def test_the_shape_of_errors_is_described(described, path, name, body):
    assert described["paths"][path]["get"]["responses"]["409"] == {"$ref": f"#/components/responses/{name}"}
    content = described["components"]["responses"][name]["content"]["application/json"]
    assert content["schema"] == {"$ref": f"#/components/schemas/{body}"}

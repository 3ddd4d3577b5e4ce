"""From path and method to endpoint, and what is answered where there is none."""

import asyncio
import uuid

import pytest
from litestar.testing import TestClient

from firmograph.api.endpoint import Call
from firmograph.api.https_policy import HttpsPolicy
from firmograph.api.metrics import Metrics
from toy_api import endpoint, toy_app

pytestmark = pytest.mark.no_database

HOST = "https://toys.test"
KEY = {"api_key": "me"}
NO_PATH = {"statusCode": 404, "message": "There is no such path; the API is described at /docs"}


def old_endpoints():
    @endpoint("GET", "/old", error_shape="older", headers=[(b"deprecation", b"@1")])
    def get_old(call: Call[None]) -> bytes:
        return b"{}"

    @endpoint("PUT", "/old/{id}", error_shape="older", headers=[(b"deprecation", b"@1"), (b"link", b"<a>")])
    def put_old(call: Call[None]) -> bytes:
        return call.real_path.encode()

    @endpoint("DELETE", "/old/{id}", error_shape="older", headers=[(b"deprecation", b"@1")])
    def delete_old(call: Call[None]) -> bytes:
        return b"{}"

    return [get_old, put_old, delete_old]


@pytest.fixture(scope="module")
def client():
    with TestClient(toy_app()) as client:
        yield client


@pytest.fixture(scope="module")
def old():
    with TestClient(toy_app(endpoints=old_endpoints())) as client:
        yield client


@pytest.mark.parametrize("path", ["/raw/", "//raw", "/raw//", "/%72aw"])
def test_slashes_too_many_and_percent_encodings_change_no_path(client, path):
    assert client.get(f"{HOST}{path}", headers=KEY).json() == {"plain": True}


@pytest.mark.parametrize("path", ["/raw/more", "/Raw", "/raw%2Fmore", "/", "/raw%20"])
def test_other_paths_are_unknown_for_every_method(client, path):
    for method in ("GET", "PUT", "OPTIONS"):
        answer = client.request(method, f"{HOST}{path}", headers=KEY)
        assert (answer.status_code, answer.json()) == (404, NO_PATH)


def test_an_encoded_slash_parts_segments(client):
    answer = client.post(f"{HOST}/options%2F00ab/choose", headers=KEY, json={})
    assert (answer.status_code, answer.json()) == (201, {"name": "00ab UNSET"})


def test_an_encoded_parameter_arrives_decoded(old):
    assert old.put(f"{HOST}/old/%C3%A9%20b", headers=KEY).text == "/old/é b"


def test_one_spelling_of_a_path_is_given_to_endpoints(old):
    assert old.put(f"{HOST}//old/a/", headers=KEY).text == "/old/a"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "/old", "GET, OPTIONS"),
        ("GET", "/old/1", "DELETE, OPTIONS, PUT"),
        ("HEAD", "/old", "GET, OPTIONS"),
    ],
)
def test_a_wrong_method_is_405_with_the_allowed_ones(old, method, path, allowed):
    answer = old.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


def test_an_unknown_method_is_405(old):
    answer = old.request("PROPFIND", "/old")
    assert (answer.status_code, answer.json()["message"]) == (405, "Method not allowed; use GET, OPTIONS")


def test_a_wrong_method_gets_the_headers_and_the_shape_of_its_path(old):
    answer = old.post("/old")
    assert answer.headers["deprecation"] == "@1"
    assert answer.json() == {
        "statusCode": 405,
        "message": "Method not allowed; use GET, OPTIONS",
        "error": {"code": "METHOD_NOT_ALLOWED", "message": "Method not allowed; use GET, OPTIONS"},
    }


def test_an_unknown_path_below_another_one_has_its_shape_without_its_headers(old):
    answer = old.get("/old/1/more")
    assert answer.json() == NO_PATH | {"error": {"code": "NOT_FOUND", "message": NO_PATH["message"]}}
    assert "deprecation" not in answer.headers


def test_options_has_the_headers_that_all_endpoints_of_the_path_share(old):
    answer = old.options("/old/1")
    assert (answer.status_code, answer.content) == (204, b"")
    assert (answer.headers["allow"], answer.headers["deprecation"]) == ("DELETE, OPTIONS, PUT", "@1")
    assert "link" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/nothing"), ("PATCH", "/raw"), ("OPTIONS", "/raw"), ("GET", "/page")]
)
def test_every_answer_has_a_request_id(client, method, path):
    ids = {client.request(method, path).headers["x-request-id"] for _ in range(2)}
    assert [uuid.UUID(one).version for one in ids] == [4, 4]


@pytest.mark.parametrize("path", ["/raw", "/nothing"])
@pytest.mark.parametrize("host", ["a b", "a/b", "a\u00e9"])
def test_a_host_that_cannot_be_one_is_400(client, path, host):
    answer = client.get(f"{HOST}{path}", headers=KEY | {"host": host.encode("latin-1")})
    assert (answer.status_code, answer.json()) == (400, {"statusCode": 400, "message": "Bad request"})


def test_unknown_paths_and_methods_are_answered_over_plain_http_too():
    with TestClient(toy_app(https_policy=HttpsPolicy(required=True)), base_url="http://toys.test") as client:
        statuses = [
            client.get("/raw").status_code,
            client.get("/nothing").status_code,
            client.put("/raw").status_code,
        ]
    assert statuses == [403, 404, 405]


def test_requests_are_counted_by_endpoint_and_those_without_one_together():
    metrics = Metrics("1")
    with TestClient(toy_app(metrics=metrics)) as client:
        for method, path in [
            ("GET", "/raw"),
            ("PUT", "/raw"),
            ("PATCH", "/page"),
            ("OPTIONS", "/raw"),
            ("GET", "/no"),
        ]:
            client.request(method, path)
    counted = {
        (one.labels["endpoint"], one.labels["status"]): one.value
        for family in metrics.registry.collect()
        for one in family.samples
        if one.name == "firmograph_requests_total"
    }
    assert counted == {("get_raw", "401"): 1, ("none", "405"): 2, ("none", "404"): 1}


def test_a_method_of_an_endpoint_is_declared_once():
    declared = old_endpoints()[0]
    with pytest.raises(ValueError, match=r"^GET /old is declared twice$"):
        toy_app(endpoints=[declared, declared])


def test_an_answer_that_cannot_be_sent_is_left_to_the_server(client):
    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        raise OSError("closed")

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/page",
        "headers": [],
        "query_string": b"",
        "scheme": "https",
    }
    with pytest.raises(OSError, match="closed"):
        asyncio.run(client.app(scope, receive, send))

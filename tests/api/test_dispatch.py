"""The order of refusals, and the parts of every answer (docs/reference/errors.md#order-of-refusals)."""

import uuid

import pytest
from litestar.testing import TestClient

from toy_api import toy_app

pytestmark = pytest.mark.no_database

SOUND = b'{"contacts":[{"firstName":"Ann"}]}'


@pytest.fixture(scope="module")
def client():
    with TestClient(toy_app()) as client:
        yield client


def send(client, content=SOUND, **headers):
    given = {name.replace("_", "-") if name != "api_key" else name: value for name, value in headers.items()}
    return client.post("/parts", content=content, headers={"api_key": "me", **given})


def test_a_valid_call_is_answered_with_its_request_id_caller_and_time(client):
    answer = send(client, content_type="application/json", idempotency_key="k-1")
    assert answer.status_code == 200
    assert answer.json() == {
        "requestId": answer.headers["x-request-id"],
        "caller": "me",
        "idempotencyKey": "k-1",
        "at": 5.0,
        "billing": {"creditsCharged": 2, "resultsReturned": 1},
    }
    assert uuid.UUID(answer.headers["x-request-id"]).version == 4


def test_no_two_requests_share_an_id(client):
    assert send(client).headers["x-request-id"] != send(client).headers["x-request-id"]


BAD = b"{"
LARGE = b" " * 3_000
WORST = {"content_type": "text/plain", "idempotency_key": "\u00e9"}

ORDER = [
    ("missing key", {"content": LARGE, "api_key": "", **WORST}, 401),
    ("wrong key", {"content": LARGE, "api_key": "wrong", **WORST}, 401),
    ("disabled account", {"content": LARGE, "api_key": "closed", **WORST}, 403),
    ("used up limit", {"content": LARGE, "api_key": "fast", **WORST}, 429),
    ("large body", {"content": LARGE, **WORST}, 413),
    ("content type", {"content": BAD, **WORST}, 415),
    ("body", {"content": BAD}, 400),
    ("idempotency key", {"idempotency_key": "\u00e9"}, 400),
    ("credits", {"content": b'{"contacts":[{"firstName":"poor"}]}'}, 402),
]


@pytest.mark.parametrize(("reason", "request_", "status"), ORDER, ids=[case[0] for case in ORDER])
def test_only_the_first_error_in_order_is_reported(client, reason, request_, status):
    given = {
        name: value.encode("latin-1") if isinstance(value, str) else value for name, value in request_.items()
    }
    answer = send(client, **given)
    assert answer.status_code == status
    assert answer.json()["statusCode"] == status
    assert answer.json()["message"]
    assert answer.headers["content-type"] == "application/json"
    assert "x-request-id" in answer.headers


@pytest.mark.parametrize(
    ("key", "limited"), [("wrong", False), ("closed", True), ("fast", True), ("me", True)]
)
def test_rate_limit_headers_are_on_every_answer_to_a_known_caller(client, key, limited):
    assert ("x-rate-limit-minute" in send(client, BAD, api_key=key).headers) is limited


def test_an_exhausted_limit_says_when_to_retry(client):
    assert send(client, api_key="fast").headers["retry-after"] == "7"


def test_the_case_of_a_header_name_does_not_matter(client):
    assert client.post("/parts", content=SOUND, headers={"API_Key": "me"}).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"', None],
)
def test_json_in_utf8_is_read_with_or_without_a_content_type(client, content_type):
    headers = {"api_key": "me"} | ({"content-type": content_type} if content_type else {})
    assert client.post("/parts", content=SOUND, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    ["text/json", "application/json; charset=latin-1", "application/x-www-form-urlencoded", ""],
)
def test_any_other_content_type_is_refused(client, content_type):
    assert send(client, content_type=content_type).status_code == 415


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256, "caf\u00e9", "a\tb"])
def test_an_idempotency_key_is_up_to_255_visible_characters(client, key):
    assert send(client, idempotency_key=key.encode("latin-1")).status_code == 400


def test_an_unknown_path_has_the_usual_body_and_needs_no_key(client):
    answer = client.get("/nothing/here")
    assert answer.status_code == 404
    assert answer.json() == {
        "statusCode": 404,
        "message": "There is no such path; the API is described at /docs",
    }
    assert "x-request-id" in answer.headers


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "HEAD", "TRACE"])
def test_a_wrong_method_gets_the_allowed_ones_and_needs_no_key(client, method):
    answer = client.request(method, "/parts")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "OPTIONS, POST"
    assert "x-request-id" in answer.headers


def test_options_lists_the_methods(client):
    answer = client.options("/parts")
    assert (answer.status_code, answer.headers["allow"], answer.content) == (204, "OPTIONS, POST", b"")


def test_an_answer_may_be_bytes_or_a_page(client):
    assert client.get("/raw", headers={"api_key": "me"}).json() == {"plain": True}
    page = client.get("/page")
    assert (page.status_code, page.text, page.headers["x-own"]) == (202, "<p>", "1")
    assert page.headers["content-type"] == "text/html"


def test_a_creating_endpoint_answers_201(client):
    answer = client.post("/options/00ab/choose", headers={"api_key": "me"}, json={"firstName": "Ann"})
    assert (answer.status_code, answer.json()) == (201, {"name": "00ab Ann"})


def test_a_failure_leaks_nothing_and_has_the_request_id(client, caplog, capsys):
    answer = client.get("/broken", headers={"api_key": "me"})
    assert answer.status_code == 500
    assert answer.json() == {"statusCode": 500, "message": "Internal server error"}
    assert "x-rate-limit-minute" in answer.headers
    assert answer.headers["x-request-id"] in capsys.readouterr().out

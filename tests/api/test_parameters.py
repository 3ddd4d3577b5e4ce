import pytest
from litestar.testing import TestClient

import toy_api
from firmograph.api.openapi import build_openapi

pytestmark = pytest.mark.no_database


@pytest.fixture(scope="module")
def client():
    with TestClient(toy_api.toy_app()) as client:
        yield client


def options(client, query):
    return client.get(f"/options{query}", headers={"api_key": "k"})


def test_declared_parameters_reach_the_endpoint_decoded(client):
    answer = options(client, "?query=S%C3%A3o+P&otherText=a%26b")
    assert [option["name"] for option in answer.json()] == ["São P", "a&b"]


def test_other_parameters_are_ignored_however_often_they_come(client):
    answer = options(client, "?utm=1&query=ab&utm=2")
    assert [option["name"] for option in answer.json()] == ["ab", "none"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "query is required"),
        ("?Query=ab", "query is required"),
        ("?query=", "query is required"),
        ("?query", "query is required"),
        ("?query=a", "query must have at least 2 characters"),
        ("?query=abcdef", "query must have at most 5 characters"),
        ("?query=ab&otherText=abcd", "otherText must have at most 3 characters"),
        ("?query=ab&query=ab", "query should not be repeated"),
        ("?query=a%00b", "query must not contain NUL characters"),
        ("?query=%ff%ff", "The query string is not valid UTF-8"),
    ],
)
def test_an_invalid_parameter_is_refused_by_name(client, query, message):
    answer = options(client, query)
    assert (answer.status_code, answer.json()["message"]) == (400, message)


def test_an_empty_parameter_counts_as_absent(client):
    answer = options(client, "?query=ab&otherText=&query=")
    assert [option["name"] for option in answer.json()] == ["ab", "none"]


def test_the_key_is_checked_before_the_parameters(client):
    assert client.get("/options").status_code == 401


def option(client, rest, **given):
    return client.request(given.pop("method", "GET"), f"/options/{rest}", headers={"api_key": "k"}, **given)


def test_path_parameters_and_whole_numbers_reach_the_endpoint_decoded(client):
    assert option(client, "00ab").json() == {"name": "00ab 50"}
    assert option(client, "00ab?limit=").json() == {"name": "00ab 50"}
    assert option(client, "%300ab?limit=007").json() == {"name": "00ab 7"}
    chosen = option(client, "00ab/choose", method="POST", json={"firstName": "Ann"})
    assert chosen.json() == {"name": "00ab Ann"}


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("00AB", "id must be four hexadecimal digits"),
        ("00ab%00", "id must not contain NUL characters"),
        ("00ab?limit=0", "limit must be at least 1"),
        ("00ab?limit=-1", "limit must be at least 1"),
        ("00ab?limit=101", "limit must be at most 100"),
        (f"00ab?limit={'9' * 30}", "limit must be an integer"),
        ("00ab?limit=1.0", "limit must be an integer"),
        ("00ab?limit=%D9%A1", "limit must be an integer"),
    ],
)
def test_an_invalid_path_or_number_is_refused_by_name(client, rest, message):
    answer = option(client, rest)
    assert (answer.status_code, answer.json()["message"]) == (400, message)


def test_a_path_with_more_segments_is_unknown_and_a_wrong_method_gets_the_allowed_ones(client):
    assert option(client, "00ab/more").status_code == option(client, "a%2Fb").status_code == 404
    refused = option(client, "00ab", method="DELETE")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, OPTIONS")


def test_path_parameters_are_described():
    described = build_openapi(toy_api.toy_endpoints(), version="1", max_body_bytes=10)
    operation = described["paths"]["/options/{id}"]["get"]
    assert [(each["name"], each["in"], each["required"]) for each in operation["parameters"]] == [
        ("id", "path", True),
        ("limit", "query", False),
    ]
    assert operation["parameters"][1]["schema"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 100,
        "default": 50,
    }
    assert "400" in operation["responses"]


def test_parameters_and_bare_lists_are_described():
    described = build_openapi(toy_api.toy_endpoints(), version="1", max_body_bytes=10)
    operation = described["paths"]["/options"]["get"]
    assert operation["parameters"] == [
        {
            "name": "query",
            "in": "query",
            "required": True,
            "description": "What to look for",
            "schema": {"type": "string", "minLength": 2, "maxLength": 5},
        },
        {
            "name": "otherText",
            "in": "query",
            "required": False,
            "description": "",
            "schema": {"type": "string", "maxLength": 3},
        },
    ]
    answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == {"type": "array", "items": {"$ref": "#/components/schemas/Option"}}
    assert described["components"]["schemas"]["Option"]["properties"] == {"name": {"type": "string"}}
    assert "400" in operation["responses"]

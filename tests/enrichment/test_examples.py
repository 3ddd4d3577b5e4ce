"""The request bodies that the API's description shows."""

import pytest


def operations(service):
    paths = service.client.get("/openapi.json").json()["paths"]
    return [(path, of["post"]) for path, of in paths.items() if "requestBody" in of.get("post", {})]


def examples(operation):
    content = operation["requestBody"]["content"]["application/json"]
    return [example["value"] for example in content.get("examples", {}).values()]


def test_every_body_has_an_example_and_every_example_is_answered(service):
    assert service.post("/api/account/secret/regenerate", {}).status_code == 200
    for path, operation in operations(service):
        assert examples(operation), path
        for body in examples(operation):
            answer = service.post(path, body)
            described = min(operation["responses"])
            assert (str(answer.status_code), path) == (described, path), answer.text


@pytest.mark.parametrize("path", ["/docs/openapi.json", "/openapi.json"])
def test_the_page_shows_the_same_examples(service, path):
    shown = service.client.get(path).json()["paths"]
    assert [examples(shown[path]["post"]) for path, _ in operations(service)] == [
        examples(operation) for _, operation in operations(service)
    ]

"""Answers of calls that ask providers, against the OpenAPI document."""

import pytest
from fake_providers import FakeProvider, add_contact, work
from jsonschema_rs import Draft202012Validator

from firmograph.waterfall.providers.types import Found

pytestmark = pytest.mark.any_database


@pytest.fixture
def check(account):
    """Return a function that checks the 200 of a call, and returns its body."""
    document = account.get("/openapi.json").json()

    def checked(method, path, answer):
        assert answer.status_code == 200, answer.text
        content = document["paths"][path][method]["responses"]["200"]["content"]
        schema = content["application/json"]["schema"] | {"components": document["components"]}
        Draft202012Validator(schema).validate(answer.json())
        return answer.json()

    return checked


def test_enrich_and_its_job_are_as_documented_while_providers_are_asked_and_afterwards(
    account, enable, check
):
    enable(FakeProvider("documented", {"Ann": Found(phones=("+1 202 555 0134",))}))
    ids = [add_contact(account, "Ann", "Doc"), add_contact(account, "Bob", "Doc")]
    body = {"ids": ids, "reveal": ["phones"]}

    def enrich():
        return check("post", "/v3/contacts/enrich", account.post("/v3/contacts/enrich", body))

    enriched = enrich()
    path = f"/v3/contacts/jobs/{enriched['job']['id']}"

    def poll():
        return check("get", "/v3/contacts/jobs/{job_id}", account.get(path))

    states = [enriched["status"], poll()["status"]]
    work(account)
    assert [*states, poll()["status"], enrich()["status"]] == [
        "partial",
        "processing",
        "complete",
        "completed",
    ]

"""Webhook calls that are repeated under their `Idempotency-Key`, over HTTP."""

import json

import pytest
import sqlalchemy as sa
from webhook_api import SECRET, SUBSCRIPTIONS, URL

from firmograph.billing.tables import idempotency_keys

OPT_OUT = {"entityType": "contact", "url": "https://hooks.example.com/opt-outs", "name": "Ours"}


@pytest.fixture
def api(shared_api):
    return shared_api.with_new_accounts()


@pytest.fixture
def repeat(api):
    """Return a function that makes a call under a key."""

    def call(method, path, body=None, key="k", account=None):
        headers = {"api_key": account or api.first, "idempotency-key": key}
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return api.service.client.request(method, path, content=content, headers=headers)

    return call


def creation(api, *numbers, **item):
    defaults = {"url": URL, "entityType": "company", "signalTypes": ["allSignals"]}
    return {"defaults": defaults, "subscriptions": [{"entityId": api.id(one), **item} for one in numbers]}


def test_a_repeated_creation_creates_nothing_and_answers_the_same(api, repeat):
    body = creation(api, 1, 1, 2, 77, name="Ours")
    body["subscriptions"].append({"entityId": api.id(3), "signalTypes": ["nothing"]})
    first, again = (repeat("POST", SUBSCRIPTIONS, body) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert [one["success"] for one in again.json()["results"]] == [True, False, True, False, False]
    assert api.page()["pagination"]["total"] == 2
    assert again.headers["x-original-request-id"] == first.headers["x-request-id"]
    assert "x-credits-charged" not in again.headers


def test_a_repeated_opt_out_subscription_is_the_one_that_was_created(api, repeat):
    path = f"{SUBSCRIPTIONS}/opt-out"
    first, again = (repeat("POST", path, OPT_OUT) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert repeat("POST", path, OPT_OUT, key="other").status_code == 403


def test_a_repeated_change_changes_nothing_and_answers_the_subscription_of_today(api, repeat):
    path = f"{SUBSCRIPTIONS}/{api.company(1)['id']}"
    first = repeat("PATCH", path, {"name": "First"})
    api.patch(path.rpartition("/")[2], name="Second")
    again = repeat("PATCH", path, {"name": "First"})
    assert (first.json()["name"], again.json()["name"]) == ("First", "Second")


def test_a_repeated_change_with_a_new_secret_answers_the_secret_of_today(api, repeat):
    path = f"{SUBSCRIPTIONS}/{api.company(1)['id']}"
    first, again = (repeat("PATCH", path, {"regenerateSecret": True}) for _ in range(2))
    assert again.json() == first.json()
    assert api.call("GET", SECRET).json()["secret"] == first.json()["secret"]
    assert again.headers["cache-control"] == "no-store"


def test_a_repeated_deletion_answers_the_same_without_names(api, repeat):
    ids = [api.company(1, name="Ours")["id"], "unknown", api.company(2)["id"]]
    first, again = (repeat("POST", f"{SUBSCRIPTIONS}/delete", {"ids": ids}) for _ in range(2))
    expected = first.json()
    assert expected["results"][0]["subscription"].pop("name") == "Ours"
    assert again.json() == expected
    assert [one["success"] for one in again.json()["results"]] == [True, False, True]


def test_a_repeated_regeneration_answers_the_secret_of_today(api, repeat):
    path = f"{SECRET}/regenerate"
    first = repeat("POST", path).json()
    assert repeat("POST", path).json() == first
    newer = repeat("POST", path, key="other").json()
    assert newer != first
    assert repeat("POST", path).json() == newer


def test_a_repeated_test_sends_nothing_and_answers_its_audit_row(api, repeat):
    id = api.company(1)["id"]
    path = f"{SUBSCRIPTIONS}/{id}/test?mode=kafka"
    first = repeat("POST", path)
    assert first.status_code == 200, first.text
    api.patch(id, url="https://other.example.com/in")
    again = repeat("POST", path)
    assert again.json() == first.json()
    assert len(api.call("GET", "/api/audit-logs").json()["data"]) == 1
    assert repeat("POST", f"{SUBSCRIPTIONS}/{id}/test?mode=direct").status_code == 409


def test_a_key_of_another_account_is_unknown(api, repeat):
    mine, theirs = (
        repeat("POST", f"{SECRET}/regenerate", account=key).json() for key in (api.first, api.second)
    )
    assert mine != theirs
    assert repeat("POST", f"{SECRET}/regenerate", account=api.second).json() == theirs


@pytest.mark.parametrize(
    ("same", "raw"),
    [
        (True, b'{ "name":"A", "url": null, "isActive":true}'),
        (True, b'{"isActive":true,"name":"\\u0041"}'),
        (False, b'{"isActive":true,"name":"a"}'),
        (False, b'{"isActive":false,"name":"A"}'),
        (False, b'{"isActive":true}'),
    ],
)
def test_bodies_are_compared_by_what_they_mean(api, repeat, same, raw):
    path = f"{SUBSCRIPTIONS}/{api.company(1)['id']}"
    assert repeat("PATCH", path, b'{"name":"A","isActive":true}').status_code == 200
    assert repeat("PATCH", path, raw).status_code == (200 if same else 409)


@pytest.mark.parametrize("key", ["", "a b", "x" * 256])
def test_a_malformed_key_changes_nothing(api, repeat, key):
    before = api.call("GET", SECRET).json()
    assert repeat("POST", f"{SECRET}/regenerate", key=key).status_code == 400
    assert api.call("GET", SECRET).json() == before


def test_what_is_kept_has_neither_names_nor_secrets(api, repeat):
    repeat("POST", SUBSCRIPTIONS, creation(api, 1, name="Jane Doe", signalTypes=["allSignals"]), "a")
    repeat("POST", SUBSCRIPTIONS, creation(api, 2, name="Jane Doe", signalTypes=["Jane Doe"]), "b")
    repeat("POST", f"{SUBSCRIPTIONS}/opt-out", {**OPT_OUT, "name": "Jane Doe"}, "c")
    ids = [one["id"] for one in api.page()["data"]]
    repeat("PATCH", f"{SUBSCRIPTIONS}/{ids[0]}", {"name": "Jane Doe", "regenerateSecret": True}, "d")
    repeat("POST", f"{SUBSCRIPTIONS}/{ids[0]}/test?mode=kafka", None, "e")
    repeat("POST", f"{SECRET}/regenerate", None, "f")
    repeat("POST", f"{SUBSCRIPTIONS}/delete", {"ids": ids}, "g")
    with api.world.database.read() as session:
        kept = session.all(
            sa.select(idempotency_keys.c.kept).where(idempotency_keys.c.account_id == api.world.first)
        )
    assert len(kept) == 7
    for (each,) in kept:
        assert not any(word in each for word in (b"Jane", b"whsec_", b"hooks.example.com"))

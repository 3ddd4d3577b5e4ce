"""Creation, display and replacement of the account's secret over HTTP."""

import re

import pytest
from webhook_api import SECRET, SUBSCRIPTIONS, URL

pytestmark = pytest.mark.any_database

REGENERATE = f"{SECRET}/regenerate"


def test_an_account_has_no_secret_until_it_generates_one(api):
    api.world.account("Third", secret=False)
    key = api.world.accounts.create_key("Third").api_key
    missing = api.call("GET", SECRET, key=key)
    assert missing.status_code == 404
    assert "POST /api/account/secret/regenerate" in missing.json()["message"]
    created = api.call("POST", REGENERATE, key=key)
    assert created.status_code == 200
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", created.json()["secret"])
    assert api.call("GET", SECRET, key=key).json() == created.json()


def test_regeneration_changes_nothing_but_the_secret(api):
    created = api.company(1)
    before = [api.call("GET", SECRET, key=key).json() for key in (api.first, api.second)]
    regenerated = api.call("POST", REGENERATE).json()
    assert regenerated != before[0]
    after = [api.call("GET", SECRET, key=key).json() for key in (api.first, api.second)]
    assert after == [regenerated, before[1]]
    assert api.page()["data"] == [created]


def test_a_patch_can_replace_the_secret_and_shows_it_once(own_api):
    created = own_api.company(1)
    own_api.world.clock.advance(60)
    patched = own_api.patch(created["id"], regenerateSecret=True)
    secret = patched.pop("secret")
    assert patched == created
    assert own_api.call("GET", SECRET).json() == {"secret": secret}
    assert own_api.patch(created["id"], regenerateSecret=False, name="New").keys() == {*created, "name"}
    assert own_api.call("GET", SECRET).json() == {"secret": secret}


def test_a_refused_patch_does_not_replace_the_secret(api):
    secret = api.call("GET", SECRET).json()
    created = api.company(1)
    for id, body in ((created["id"], {"signalTypes": ["promotion"]}), ("0" * 24, {})):
        refused = api.call("PATCH", f"{SUBSCRIPTIONS}/{id}", {"regenerateSecret": True, **body})
        assert refused.status_code in (400, 404)
    assert api.call("GET", SECRET).json() == secret


def test_answers_with_a_secret_must_not_be_cached(api):
    id = api.company(1)["id"]
    answers = [
        api.call("GET", SECRET),
        api.call("POST", REGENERATE),
        api.call("PATCH", f"{SUBSCRIPTIONS}/{id}", {"regenerateSecret": True}),
    ]
    assert {answer.headers["cache-control"] for answer in answers} == {"no-store"}
    assert {answer.headers["content-type"] for answer in answers} == {"application/json"}


def test_the_secret_appears_in_no_list_error_or_log(api, capfd, caplog):
    id = api.company(1)["id"]
    secret = api.call("POST", REGENERATE).json()["secret"]
    answers = [
        api.call("GET", SUBSCRIPTIONS),
        api.call("GET", f"{SUBSCRIPTIONS}/{id}"),
        api.call("PATCH", f"{SUBSCRIPTIONS}/{id}", {"name": "New"}),
        api.call("PATCH", f"{SUBSCRIPTIONS}/{id}", {"secret": secret[:9]}),
        api.opt_out(),
        api.call("POST", SUBSCRIPTIONS, {"defaults": {"url": URL}, "subscriptions": []}),
        api.call("POST", f"{SUBSCRIPTIONS}/delete", {"ids": [id]}),
    ]
    written = "".join([*(answer.text for answer in answers), *capfd.readouterr(), caplog.text])
    assert secret.removeprefix("whsec_") not in written

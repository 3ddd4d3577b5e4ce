"""The account's secret over HTTP: made, shown, replaced, and nowhere else."""

import re

from webhook_api import SECRET, SUBSCRIPTIONS, URL

REGENERATE = f"{SECRET}/regenerate"


def test_there_is_none_until_one_is_made(api):
    api.world.account("Third", secret=False)
    key = api.world.accounts.create_key("Third").api_key
    missing = api.call("GET", SECRET, key=key)
    assert missing.status_code == 404
    assert "POST /api/account/secret/regenerate" in missing.json()["message"]
    made = api.call("POST", REGENERATE, key=key)
    assert made.status_code == 200
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", made.json()["secret"])
    assert api.call("GET", SECRET, key=key).json() == made.json()


def test_another_one_changes_nothing_else(api):
    made = api.company(1)
    before = [api.call("GET", SECRET, key=key).json() for key in (api.first, api.second)]
    regenerated = api.call("POST", REGENERATE).json()
    assert regenerated != before[0]
    after = [api.call("GET", SECRET, key=key).json() for key in (api.first, api.second)]
    assert after == [regenerated, before[1]]
    assert api.page()["data"] == [made]


def test_a_patch_may_replace_it_and_shows_it_once(api):
    made = api.company(1)
    api.world.clock.advance(60)
    patched = api.patch(made["id"], regenerateSecret=True)
    secret = patched.pop("secret")
    assert patched == made
    assert api.call("GET", SECRET).json() == {"secret": secret}
    assert api.patch(made["id"], regenerateSecret=False, name="New").keys() == {*made, "name"}
    assert api.call("GET", SECRET).json() == {"secret": secret}


def test_a_refused_patch_does_not_replace_it(api):
    held = api.call("GET", SECRET).json()
    made = api.company(1)
    for id, body in ((made["id"], {"signalTypes": ["promotion"]}), ("0" * 24, {})):
        refused = api.call("PATCH", f"{SUBSCRIPTIONS}/{id}", {"regenerateSecret": True, **body})
        assert refused.status_code in (400, 404)
    assert api.call("GET", SECRET).json() == held


def test_nobody_on_the_way_is_to_keep_it(api):
    id = api.company(1)["id"]
    answers = [
        api.call("GET", SECRET),
        api.call("POST", REGENERATE),
        api.call("PATCH", f"{SUBSCRIPTIONS}/{id}", {"regenerateSecret": True}),
    ]
    assert {answer.headers["cache-control"] for answer in answers} == {"no-store"}
    assert {answer.headers["content-type"] for answer in answers} == {"application/json"}


def test_it_stands_in_no_list_error_or_log(api, capfd, caplog):
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

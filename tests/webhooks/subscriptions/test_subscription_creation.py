"""Creating subscriptions over HTTP, and its refusals."""

import re

import pytest
from webhook_api import SECRET, SUBSCRIPTIONS, URL, codes
from webhook_fixtures import CONTACT, headcount, news

pytestmark = pytest.mark.any_database

# --- create ---


def test_a_created_subscription_is_returned_in_full(own_api):
    own_api.world.clock.advance(0.25)
    created = own_api.company(2, name="Largest", signalTypes=["surgeInHiring", "riskNews", "surgeInHiring"])
    assert re.fullmatch("[0-9a-f]{24}", created.pop("id"))
    assert created == {
        "entityType": "company",
        "entityId": own_api.id(2),
        "signalTypes": ["surgeInHiring", "riskNews"],
        "url": URL,
        "name": "Largest",
        "isActive": True,
        "blockReason": None,
        "blockedAt": None,
        "createdAt": "2026-09-21T14:13:20.250Z",
        "updatedAt": "2026-09-21T14:13:20.250Z",
    }


def test_signal_types_are_case_insensitive(api):
    created = api.company(2, signalTypes=["SURGEINHIRING", "riskNews", "surgeInHiring"])
    assert created["signalTypes"] == ["surgeInHiring", "riskNews"]
    assert api.patch(created["id"], signalTypes=["allsignals"])["signalTypes"] == ["allSignals"]


def test_an_overlong_id_fails_as_one_item(api):
    results = api.create({"entityId": "1" * 300}, entityType="company", signalTypes=["riskNews"])
    assert codes(results) == ["VALIDATION_ERROR"]


def test_a_subscription_starts_after_the_last_signal(own_api):
    own_api.world.detect(headcount(1), news(2))
    id = own_api.company(1)["id"]
    assert own_api.world.subscription(id).after_signal == 2


def test_missing_fields_of_an_item_come_from_the_defaults(api):
    body = {
        "defaults": {"url": URL, "entityType": "company", "signalTypes": ["riskNews"]},
        "name": "Ours",
        "subscriptions": [
            {"entityId": api.id(1)},
            {
                "entityId": api.id(1, CONTACT),
                "entityType": "contact",
                "signalTypes": ["promotion"],
                "name": "Ann",
            },
        ],
    }
    created = api.call("POST", SUBSCRIPTIONS, body).json()["results"]
    fields = ("entityType", "signalTypes", "name")
    assert [[result["subscription"][name] for name in fields] for result in created] == [
        ["company", ["riskNews"], "Ours"],
        ["contact", ["promotion"], "Ann"],
    ]


def test_the_defaults_may_contain_the_name(api):
    (created,) = api.create({"entityId": api.id(1)}, name="Ours")
    assert created["subscription"]["name"] == "Ours"


def test_items_fail_individually_at_their_index(api):
    results = api.create(
        {"entityId": api.id(1)},
        {"entityId": api.id(1, CONTACT)},
        {"entityId": "rubbish"},
        {"entityId": api.id(2), "signalTypes": ["promotion"]},
        {"entityId": api.id(3)},
    )
    assert codes(results) == [
        "created",
        "VALIDATION_ERROR",
        "VALIDATION_ERROR",
        "VALIDATION_ERROR",
        "created",
    ]
    assert [result["index"] for result in results] == [0, 1, 2, 3, 4]
    assert "'promotion' is no type of signals of companies" in results[3]["error"]["message"]


def test_a_call_with_only_failed_items_is_a_201(api):
    assert codes(api.create({"entityId": "rubbish"})) == ["VALIDATION_ERROR"]
    assert api.page()["data"] == []


def test_an_item_without_entity_type_or_signal_types_fails(api):
    body = {
        "defaults": {"url": URL},
        "subscriptions": [
            {"entityId": api.id(1), "signalTypes": ["riskNews"]},
            {"entityId": api.id(2), "entityType": "company"},
        ],
    }
    results = api.call("POST", SUBSCRIPTIONS, body).json()["results"]
    assert [result["error"]["message"] for result in results] == [
        "entityType must be given, in the item or in defaults",
        "signalTypes must be given, in the item or in defaults",
    ]


def test_a_record_has_one_subscription_by_any_of_its_ids(api):
    first, second = api.id(1), api.legacy(1)
    results = api.create(*({"entityId": id} for id in (first, second, first)))
    assert codes(results) == ["created", "DUPLICATE_SUBSCRIPTION", "DUPLICATE_SUBSCRIPTION"]
    assert codes(api.create({"entityId": second})) == ["DUPLICATE_SUBSCRIPTION"]
    # a contact of the same number is another record, and another account may subscribe too
    (contact,) = api.create(
        {"entityId": api.id(1, CONTACT)}, entityType="contact", signalTypes=["companyChange"]
    )
    assert contact["success"]
    assert codes(api.create({"entityId": second}, key=api.second)) == ["created"]


def test_the_entity_id_is_returned_as_it_was_sent(api):
    (created,) = api.create({"entityId": api.legacy(1)})
    assert created["subscription"]["entityId"] == api.legacy(1)
    assert api.page()["data"][0]["entityId"] == api.legacy(1)


def test_unknown_suppressed_and_wrong_records_have_the_same_error(own_api):
    suppressed = own_api.id(2, CONTACT)
    own_api.world.suppress("ann2@c1.example.com")
    ids = [
        own_api.id(999, CONTACT),
        suppressed,
        own_api.id(1),
        "v7." + "A" * 32,
        "v1.AAAA",
        "1234567",
        "not an id",
    ]
    results = own_api.create(
        *({"entityId": id} for id in ids), entityType="contact", signalTypes=["allSignals"]
    )
    errors = {(result["error"]["code"], result["error"]["message"]) for result in results}
    assert errors == {("VALIDATION_ERROR", "entityId must be the id of a contact in the database")}


def test_an_account_cannot_exceed_its_maximum(make_api):
    api = make_api(webhook_max_subscriptions=2)
    items = [{"entityId": api.id(number)} for number in (1, 2, 3)]
    results = api.create(*items)
    assert codes(results) == ["created", "created", "FORBIDDEN"]
    refused = api.call(
        "POST",
        SUBSCRIPTIONS,
        {
            "defaults": {"url": URL, "entityType": "company", "signalTypes": ["riskNews"]},
            "subscriptions": items,
        },
    )
    assert (refused.status_code, refused.json()["errors"]) == (403, ["account maximum reached"])
    assert api.opt_out().status_code == 403
    api.delete(results[0]["subscription"]["id"])
    assert codes(api.create(items[2])) == ["created"]
    assert codes(api.create(*items, key=api.second)) == ["created", "created", "FORBIDDEN"]


def test_an_invalid_url_is_a_400_for_the_whole_call(api):
    id = api.company(2)["id"]
    for url in [
        "http://hooks.example.com/in",
        "https://user:word@hooks.example.com/",
        "https://10.0.0.1/",
        "https://[::1]/",
        "ftp://hooks.example.com",
        "hooks",
    ]:
        defaults = {"url": url, "entityType": "company", "signalTypes": ["allSignals"]}
        body = {"defaults": defaults, "subscriptions": [{"entityId": api.id(1)}]}
        assert api.call("POST", SUBSCRIPTIONS, body).status_code == 400
        assert api.opt_out(url=url).status_code == 400
        assert api.call("PATCH", f"{SUBSCRIPTIONS}/{id}", {"url": url}).status_code == 400
    assert [one["url"] for one in api.page()["data"]] == [URL]


def test_an_invalid_body_is_a_400(api):
    for change in [
        {"subscriptions": []},
        {"subscriptions": [{"entityId": "1"}] * 26},
        {"subscriptions": [{"entityId": 1}]},
        {"subscriptions": [{"entityId": "1", "url": URL}]},
        {"subscriptions": [{"entityId": "1", "name": "n" * 101}]},
        {"subscriptions": [{"entityId": "1", "signalTypes": []}]},
        {"subscriptions": [{"entityId": "1", "entityType": "person"}]},
        {"defaults": {"entityType": "company"}},
        {"defaults": {"url": "https://hooks.example.com/" + "x" * 2048}},
        {"secret": "whsec_mine"},
    ]:
        body = {"defaults": {"url": URL}, "subscriptions": [{"entityId": api.id(1)}], **change}
        assert api.call("POST", SUBSCRIPTIONS, body).status_code == 400


def test_an_account_without_secret_is_refused_with_the_call_that_creates_one(api):
    api.world.account("Third", secret=False)
    key = api.world.accounts.create_key("Third").api_key
    defaults = {"url": URL, "entityType": "company", "signalTypes": ["allSignals"]}
    body = {"defaults": defaults, "subscriptions": [{"entityId": api.id(1)}]}
    for refused in (api.call("POST", SUBSCRIPTIONS, body, key), api.opt_out(key)):
        assert refused.status_code == 403
        assert refused.json()["errors"] == ["webhook secret missing"]
        assert "POST /api/account/secret/regenerate" in refused.json()["message"]
    assert api.call("POST", f"{SECRET}/regenerate", key=key).status_code == 200
    assert api.call("POST", SUBSCRIPTIONS, body, key).status_code == 201


def test_a_plan_without_signals_is_refused_before_the_body_is_validated(make_api, tmp_path):
    plans = tmp_path / "plans.toml"
    plans.write_text("[features]\nsignals = false\n")
    api = make_api(plans_file=str(plans))
    refused = api.call("POST", SUBSCRIPTIONS, {"rubbish": 1})
    assert (refused.status_code, refused.json()["errors"]) == (403, ["signals"])
    # opt-outs are not signals, and existing subscriptions stay readable
    assert api.opt_out().status_code == 201
    assert api.page()["pagination"]["total"] == 1


# --- opt-outs ---


def test_an_account_has_one_opt_out_subscription_for_each_partner_client(api):
    created = api.opt_out(name="All")
    assert created.status_code == 201
    subscription = created.json()
    assert (subscription["entityType"], subscription["entityId"]) == ("contact", str(api.world.first))
    assert (subscription["signalTypes"], subscription["name"]) == (["optOut"], "All")
    assert "partnerClientId" not in subscription
    refused = api.opt_out(url="https://other.example.com/")
    assert (refused.status_code, refused.json()["errors"]) == (403, ["opt-out subscription exists"])
    assert api.opt_out(partnerClientId="c1").json()["partnerClientId"] == "c1"
    assert api.opt_out(partnerClientId="c1").status_code == 403
    assert api.opt_out(partnerClientId="c2").status_code == 201
    assert api.opt_out(key=api.second).status_code == 201
    api.delete(subscription["id"])
    assert api.opt_out().status_code == 201


def test_an_invalid_opt_out_subscription_is_a_400(api):
    for body in [
        {"entityType": "company"},
        {"partnerClientId": "c" * 256},
        {"extra": 1},
    ]:
        assert api.opt_out(**body).status_code == 400


def test_the_types_of_an_opt_out_subscription_cannot_be_changed(api):
    id = api.opt_out().json()["id"]
    refused = api.call("PATCH", f"{SUBSCRIPTIONS}/{id}", {"signalTypes": ["promotion"]})
    assert refused.status_code == 400
    assert "always optOut" in refused.json()["message"]
    assert api.patch(id, signalTypes=["optOut"], name="New")["signalTypes"] == ["optOut"]

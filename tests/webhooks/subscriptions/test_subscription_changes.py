"""Changing and deleting subscriptions over HTTP."""

import pytest
from webhook_api import SUBSCRIPTIONS, URL, check_documented, codes

from firmograph.webhooks.subscriptions import shapes

pytestmark = pytest.mark.any_database

# --- patch ---


def test_a_patch_changes_only_its_fields(own_api):
    created = own_api.company(1, name="Old")
    own_api.world.clock.advance(60)
    later = {"updatedAt": "2026-09-21T14:14:20.000Z"}
    named = own_api.patch(created["id"], name="New")
    assert named == created | {"name": "New"} | later
    typed = own_api.patch(created["id"], signalTypes=["riskNews", "riskNews"])
    assert typed == named | {"signalTypes": ["riskNews"]}
    moved = own_api.patch(created["id"], url="https://[2a00::1]:444/x")
    assert moved == typed | {"url": "https://[2a00::1]:444/x"}
    assert own_api.world.subscription(created["id"]).origin == "https://[2a00::1]:444"
    assert "name" not in own_api.patch(created["id"], name="")


def test_an_empty_patch_changes_nothing(own_api):
    created = own_api.company(1)
    own_api.world.clock.advance(60)
    assert own_api.patch(created["id"]) == created
    assert (
        own_api.patch(created["id"], **dict.fromkeys(shapes.ChangeSubscription.__struct_encode_fields__))
        == created
    )


def test_a_patch_refuses_signal_types_of_another_entity_type(api):
    created = api.company(1)
    refused = api.call(
        "PATCH", f"{SUBSCRIPTIONS}/{created['id']}", {"signalTypes": ["promotion"], "name": "New"}
    )
    assert refused.status_code == 400
    assert api.page()["data"] == [created]


def test_a_blocked_subscription_can_be_reactivated(api):
    created = api.company(1)
    before = api.world.subscription(created["id"])
    api.world.overwrite(
        before._replace(
            active=0, block_reason="Max retries exceeded", blocked_at=1.79e9, attempts=3, due_at=9e9
        )
    )
    blocked = api.call("GET", f"{SUBSCRIPTIONS}/{created['id']}").json()
    assert (blocked["isActive"], blocked["blockReason"]) == (False, "Max retries exceeded")
    assert blocked["blockedAt"] == "2026-09-21T14:13:20.000Z"
    assert api.patch(created["id"], isActive=True) == created
    assert api.world.subscription(created["id"]) == before


def test_a_subscription_disabled_by_its_owner_is_not_blocked(api):
    created = api.company(1)
    assert api.patch(created["id"], isActive=False) == created | {"isActive": False}
    api.world.overwrite(api.world.subscription(created["id"])._replace(block_reason="Gone", blocked_at=1.0))
    assert api.patch(created["id"], isActive=False) == created | {"isActive": False}


def test_only_a_different_url_resets_the_retries(api):
    created = api.company(1)
    api.world.overwrite(api.world.subscription(created["id"])._replace(attempts=2, due_at=9e9))
    api.patch(created["id"], url=URL, name="Same")
    stored = api.world.subscription(created["id"])
    assert (stored.attempts, stored.due_at) == (2, 9e9)
    api.patch(created["id"], url=URL + "/2")
    stored = api.world.subscription(created["id"])
    assert (stored.attempts, stored.due_at) == (0, api.world.clock.seconds())


# --- delete ---


def test_deletion_reports_each_id_by_its_index(api):
    one, other = api.company(1, name="One"), api.company(2)
    theirs = api.company(1, key=api.second)["id"]
    deleted = api.delete(one["id"], one["id"], "rubbish" * 100, theirs, "0" * 24)
    for result in deleted["results"]:
        check_documented(result, shapes.DeletedSubscription, shapes.NotDeletedSubscription)
    assert [deleted[name] for name in ("total", "successful", "failed")] == [4, 1, 3]
    subscription = {name: one[name] for name in ("id", "entityType", "entityId", "name")}
    assert deleted["results"][0] == {"index": 0, "success": True, "subscription": subscription}
    failed = deleted["results"][1:]
    assert [result["index"] for result in failed] == [2, 3, 4]
    assert {(result["error"]["code"], result["error"]["message"]) for result in failed} == {
        ("NOT_FOUND", "There is no such subscription")
    }
    assert api.page()["data"] == [other]
    assert api.page(key=api.second)["pagination"]["total"] == 1
    assert codes(api.create({"entityId": one["entityId"]})) == ["created"]


def test_an_invalid_list_of_ids_is_a_400(api):
    for ids in [[], [f"{number:024x}" for number in range(26)], [1]]:
        assert api.call("POST", f"{SUBSCRIPTIONS}/delete", {"ids": ids}).status_code == 400


def test_repeated_ids_do_not_count_towards_the_maximum_of_a_batch(api):
    one = api.company(1)
    deleted = api.call("POST", f"{SUBSCRIPTIONS}/delete", {"ids": [one["id"]] * 30}).json()
    assert (deleted["total"], deleted["successful"]) == (1, 1)


def test_deletion_releases_the_holds_of_deliveries(own_api):
    world = own_api.world
    id, other = own_api.company(1)["id"], own_api.company(2)["id"]
    payload_ids = [
        world.insert_delivery(id, held=3),
        world.insert_delivery(id),
        world.insert_delivery(id, state="FAILED"),
    ]
    remaining = world.insert_delivery(other, held=4)
    assert world.balance(world.first).held == 7
    world.clock.advance(60)
    own_api.delete(id)
    assert world.balance(world.first) == (1000, 0, 4)
    assert [row["payload_id"] for row in world.deliveries()] == [remaining]
    audited = [
        (row["payload_id"], row["error"], row["status_code"], row["subscription"]) for row in world.audit()
    ]
    # a dead letter is already audited by its last attempt
    assert audited == [(one, "The subscription was deleted", None, id) for one in payload_ids[:2]]
    assert [entry.kind for entry in world.entries(world.first)][-1] == "release"
    assert [row["held"] for row in world.deliveries()] == [4]
    assert world.subscription(other).queued == 1

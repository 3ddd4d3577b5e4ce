"""Subscriptions that are changed and deleted over HTTP."""

from webhook_api import SUBSCRIPTIONS, URL, codes, described

from firmograph.webhooks.subscriptions import shapes

# --- patch ---


def test_what_is_patched_changes_and_nothing_else(api):
    made = api.company(1, name="Old")
    api.world.clock.advance(60)
    later = {"updatedAt": "2026-09-21T14:14:20.000Z"}
    named = api.patch(made["id"], name="New")
    assert named == made | {"name": "New"} | later
    typed = api.patch(made["id"], signalTypes=["riskNews", "riskNews"])
    assert typed == named | {"signalTypes": ["riskNews"]}
    moved = api.patch(made["id"], url="https://[2a00::1]:444/x")
    assert moved == typed | {"url": "https://[2a00::1]:444/x"}
    assert api.world.subscription(made["id"]).origin == "https://[2a00::1]:444"
    assert "name" not in api.patch(made["id"], name="")


def test_an_empty_patch_changes_nothing(api):
    made = api.company(1)
    api.world.clock.advance(60)
    assert api.patch(made["id"]) == made
    assert api.patch(made["id"], **dict.fromkeys(shapes.ChangeSubscription.__struct_encode_fields__)) == made


def test_types_of_another_kind_of_record_cannot_be_patched_in(api):
    made = api.company(1)
    refused = api.call(
        "PATCH", f"{SUBSCRIPTIONS}/{made['id']}", {"signalTypes": ["promotion"], "name": "New"}
    )
    assert refused.status_code == 400
    assert api.page()["data"] == [made]


def test_one_that_was_blocked_comes_back_to_life(api):
    made = api.company(1)
    held = api.world.subscription(made["id"])
    api.world.overwrite(
        held._replace(
            active=0, block_reason="Max retries exceeded", blocked_at=1.79e9, attempts=3, due_at=9e9
        )
    )
    blocked = api.call("GET", f"{SUBSCRIPTIONS}/{made['id']}").json()
    assert (blocked["isActive"], blocked["blockReason"]) == (False, "Max retries exceeded")
    assert blocked["blockedAt"] == "2026-09-21T14:13:20.000Z"
    assert api.patch(made["id"], isActive=True) == made
    assert api.world.subscription(made["id"]) == held


def test_one_that_its_owner_disables_is_not_blocked(api):
    made = api.company(1)
    assert api.patch(made["id"], isActive=False) == made | {"isActive": False}
    api.world.overwrite(api.world.subscription(made["id"])._replace(block_reason="Gone", blocked_at=1.0))
    assert api.patch(made["id"], isActive=False) == made | {"isActive": False}


def test_a_new_url_has_all_its_retries_and_the_same_one_does_not(api):
    made = api.company(1)
    api.world.overwrite(api.world.subscription(made["id"])._replace(attempts=2, due_at=9e9))
    api.patch(made["id"], url=URL, name="Same")
    held = api.world.subscription(made["id"])
    assert (held.attempts, held.due_at) == (2, 9e9)
    api.patch(made["id"], url=URL + "/2")
    held = api.world.subscription(made["id"])
    assert (held.attempts, held.due_at) == (0, api.world.clock.seconds())


# --- delete ---


def test_what_is_deleted_is_gone_and_told_by_its_place(api):
    one, other = api.company(1, name="One"), api.company(2)
    theirs = api.company(1, key=api.second)["id"]
    deleted = api.delete(one["id"], one["id"], "rubbish" * 100, theirs, "0" * 24)
    for result in deleted["results"]:
        described(result, shapes.DeletedSubscription, shapes.NotDeletedSubscription)
    assert [deleted[name] for name in ("total", "successful", "failed")] == [4, 1, 3]
    shown = {name: one[name] for name in ("id", "entityType", "entityId", "name")}
    assert deleted["results"][0] == {"index": 0, "success": True, "subscription": shown}
    failed = deleted["results"][1:]
    assert [result["index"] for result in failed] == [2, 3, 4]
    assert {(result["error"]["code"], result["error"]["message"]) for result in failed} == {
        ("NOT_FOUND", "There is no such subscription")
    }
    assert api.page()["data"] == [other]
    assert api.page(key=api.second)["pagination"]["total"] == 1
    assert codes(api.create({"entityId": one["entityId"]})) == ["made"]


def test_what_is_no_list_of_ids_is_a_400(api):
    for ids in [[], [f"{number:024x}" for number in range(26)], [1]]:
        assert api.call("POST", f"{SUBSCRIPTIONS}/delete", {"ids": ids}).status_code == 400


def test_repetitions_do_not_count_towards_the_bound_of_a_batch(api):
    one = api.company(1)
    deleted = api.call("POST", f"{SUBSCRIPTIONS}/delete", {"ids": [one["id"]] * 30}).json()
    assert (deleted["total"], deleted["successful"]) == (1, 1)


def test_what_was_held_for_deliveries_is_given_back_when_they_go(api):
    world = api.world
    id, kept = api.company(1)["id"], api.company(2)["id"]
    made = [world.deliver(id, held=3), world.deliver(id), world.deliver(id, state="FAILED")]
    stays = world.deliver(kept, held=4)
    assert world.balance(world.first).held == 7
    world.clock.advance(60)
    api.delete(id)
    assert world.balance(world.first) == (1000, 0, 4)
    assert [row["payload_id"] for row in world.deliveries()] == [stays]
    told = [
        (row["payload_id"], row["error"], row["status_code"], row["subscription"]) for row in world.audit()
    ]
    # of a dead letter the audit has its last attempt
    assert told == [(one, "The subscription was deleted", None, id) for one in made[:2]]
    assert [entry.kind for entry in world.entries(world.first)][-1] == "release"
    assert [row["held"] for row in world.deliveries()] == [4]
    assert world.subscription(kept).queued == 1

"""What is held for deliveries that are taken, and what waits for credits."""

import json

from queue_fixtures import FAILED, OK, QueueWorld
from structlog.testing import capture_logs
from webhook_fixtures import headcount

from firmograph.database.connection import RECORDS
from firmograph.signals import erasure_store
from firmograph.webhooks.types import State, Status


def test_what_is_held_is_not_free_for_anything_else_and_not_used_yet(world, queues):
    world.subscribe()
    queues.tell(headcount())
    queues.take()
    balance = world.balance(world.first)
    assert (balance.remaining, balance.used, balance.held) == (999, 0, 1)
    (entry,) = [each for each in world.entries(world.first) if each.kind == "hold"]
    (row,) = world.deliveries()
    assert (entry.request_id, entry.action, entry.credits) == (row["payload_id"], "showSignalsCompany", 1)


def test_what_the_account_has_paid_for_costs_nothing_and_says_so(world, queues):
    world.subscribe()
    queues.tell(headcount())
    queues.pay(world.first, 1)
    (attempt,) = queues.deliver()
    assert json.loads(attempt.body)["billing"] == {"creditsCharged": 0}
    assert queues.kinds(world.first) == ["charge"]
    (row,) = world.audit()
    assert (row["status"], row["credits"]) == (Status.SUCCESS, 0)


def test_a_signal_that_comes_back_is_delivered_again_and_charged_once(world):
    queues = QueueWorld(world, repeat_reveal_days=1)
    world.subscribe()
    queues.tell(headcount())
    (first,) = queues.deliver()
    world.clock.advance(2 * 86_400)
    with world.database.write(RECORDS) as session:
        erasure_store.drop(session, [1])
    queues.tell(headcount())
    (again,) = queues.deliver()
    assert again.payload_id == first.payload_id
    assert queues.kinds(world.first) == ["hold", "capture"]
    assert [row["credits"] for row in world.audit()] == [1, 0]


def test_with_too_few_credits_nothing_is_sent_and_the_audit_says_why_once(world, queues):
    poor = world.account("Poor", credits=1)
    for number in (1, 2):
        world.subscribe(poor, number, url=f"https://r{number}.example.com/")
    queues.tell(headcount(1), headcount(2))
    with capture_logs() as logs:
        (sent,) = queues.take()
        for _ in range(3):
            assert queues.take() == []
            world.clock.advance(1)
    (row,) = world.audit()
    withheld = world.deliveries()[1]
    assert (row["payload_id"], row["status"], row["status_code"]) == (
        withheld["payload_id"],
        Status.FAILED,
        None,
    )
    assert row["error"].startswith("Insufficient credits: this delivery needs 1")
    assert row["duration_ms"] is None
    assert (withheld["held"], withheld["body"], withheld["state"]) == (None, None, State.WAITING)
    assert [line["payload"] for line in logs] == [withheld["payload_id"]]
    lanes = world.subscriptions()
    assert [(each.needs, each.attempts, each.active) for each in lanes] == [(0, 0, 1), (1, 0, 1)]
    queues.record([sent])
    assert queues.take() == []
    world.accounts.grant("Poor", 1)
    (again,) = queues.deliver()
    assert again.payload_id == withheld["payload_id"]
    assert [each["status"] for each in world.audit()] == [Status.FAILED, Status.SUCCESS, Status.SUCCESS]
    assert world.balance(poor) == (2, 2, 0)


def test_what_was_withheld_goes_once_it_costs_nothing_any_more(world, queues):
    poor = world.account("Poor", credits=1)
    lanes = [world.subscribe(poor, number, url=f"https://r{number}.example.com/") for number in (1, 2)]
    queues.tell(headcount(1), headcount(2))
    queues.give_up()
    queues.pay(poor, 2)
    assert queues.take() == []
    world.clock.advance(3_600)
    assert [each.subscription for each in queues.take()] == [lanes[1].token]
    assert world.balance(poor).remaining == 0


def test_what_was_withheld_and_then_fails_is_retried_with_the_credits_that_are_held_for_it(world, queues):
    poor = world.account("Poor", credits=0)
    world.subscribe(poor)
    queues.tell(headcount())
    assert queues.take() == []
    world.accounts.grant("Poor", 1)
    queues.deliver(FAILED)
    world.clock.advance(2)
    assert len(queues.take()) == 1


def test_the_last_credits_go_to_what_was_detected_first(world, queues):
    poor = world.account("Poor", credits=2)
    for number in (3, 1, 2):
        world.subscribe(poor, number, url=f"https://r{number}.example.com/")
    for number in (2, 3, 1):
        queues.tell(headcount(number))
    assert [json.loads(each.body)["data"]["companyName"] for each in queues.take()] == [
        "Company 2",
        "Company 3",
    ]


def test_retries_are_paid_by_the_same_hold_and_say_the_same(world, queues):
    world.subscribe()
    queues.tell(headcount())
    (first,) = queues.deliver(FAILED)
    world.clock.advance(2)
    (second,) = queues.deliver(FAILED)
    world.clock.advance(7)
    (third,) = queues.deliver(OK)
    assert first.body == second.body == third.body
    assert [each.attempts for each in (first, second, third)] == [0, 1, 2]
    assert queues.kinds(world.first) == ["hold", "capture"]

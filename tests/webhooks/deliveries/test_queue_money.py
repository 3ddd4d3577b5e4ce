"""Holds of claimed deliveries, and deliveries that wait for credits."""

import json

from queue_fixtures import FAILED, OK, QueueWorld
from structlog.testing import capture_logs
from webhook_fixtures import headcount

from firmograph.database.connection import RECORDS
from firmograph.signals import erasure_store
from firmograph.webhooks.types import State, Status


def test_a_hold_reduces_the_remaining_credits_and_not_yet_counts_as_used(world, queues):
    world.subscribe()
    queues.fan_out_signals(headcount())
    queues.claim()
    balance = world.balance(world.first)
    assert (balance.remaining, balance.used, balance.held) == (999, 0, 1)
    (entry,) = [each for each in world.entries(world.first) if each.kind == "hold"]
    (row,) = world.deliveries()
    assert (entry.request_id, entry.action, entry.credits) == (row["payload_id"], "showSignalsCompany", 1)


def test_a_signal_that_the_account_has_paid_is_delivered_free(world, queues):
    world.subscribe()
    queues.fan_out_signals(headcount())
    queues.pay(world.first, 1)
    (attempt,) = queues.deliver()
    assert json.loads(attempt.body)["billing"] == {"creditsCharged": 0}
    assert queues.ledger_kinds(world.first) == ["charge"]
    (row,) = world.audit()
    assert (row["status"], row["credits"]) == (Status.SUCCESS, 0)


def test_a_signal_detected_again_is_delivered_again_and_charged_once(world):
    queues = QueueWorld(world, repeat_reveal_days=1)
    world.subscribe()
    queues.fan_out_signals(headcount())
    (first,) = queues.deliver()
    world.clock.advance(2 * 86_400)
    with world.database.write(RECORDS) as session:
        erasure_store.delete_signals(session, [1])
    queues.fan_out_signals(headcount())
    (again,) = queues.deliver()
    assert again.payload_id == first.payload_id
    assert queues.ledger_kinds(world.first) == ["hold", "capture"]
    assert [row["credits"] for row in world.audit()] == [1, 0]


def test_missing_credits_withhold_a_delivery_and_are_audited_once(world, queues):
    poor = world.account("Poor", credits=1)
    for number in (1, 2):
        world.subscribe(poor, number, url=f"https://r{number}.example.com/")
    queues.fan_out_signals(headcount(1), headcount(2))
    with capture_logs() as logs:
        (sent,) = queues.claim()
        for _ in range(3):
            assert queues.claim() == []
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
    queues_of_account = world.subscriptions()
    assert [(each.needs, each.attempts, each.active) for each in queues_of_account] == [(0, 0, 1), (1, 0, 1)]
    queues.record([sent])
    assert queues.claim() == []
    world.accounts.grant("Poor", 1)
    (again,) = queues.deliver()
    assert again.payload_id == withheld["payload_id"]
    assert [each["status"] for each in world.audit()] == [Status.FAILED, Status.SUCCESS, Status.SUCCESS]
    assert world.balance(poor) == (2, 2, 0)


def test_a_withheld_delivery_is_sent_once_it_is_free(world, queues):
    poor = world.account("Poor", credits=1)
    subscriptions = [
        world.subscribe(poor, number, url=f"https://r{number}.example.com/") for number in (1, 2)
    ]
    queues.fan_out_signals(headcount(1), headcount(2))
    queues.give_up()
    queues.pay(poor, 2)
    assert queues.claim() == []
    world.clock.advance(3_600)
    assert [each.subscription for each in queues.claim()] == [subscriptions[1].token]
    assert world.balance(poor).remaining == 0


def test_a_withheld_delivery_that_fails_later_is_retried_with_its_hold(world, queues):
    poor = world.account("Poor", credits=0)
    world.subscribe(poor)
    queues.fan_out_signals(headcount())
    assert queues.claim() == []
    world.accounts.grant("Poor", 1)
    queues.deliver(FAILED)
    world.clock.advance(2)
    assert len(queues.claim()) == 1


def test_the_last_credits_pay_the_first_detected_signal(world, queues):
    poor = world.account("Poor", credits=2)
    for number in (3, 1, 2):
        world.subscribe(poor, number, url=f"https://r{number}.example.com/")
    for number in (2, 3, 1):
        queues.fan_out_signals(headcount(number))
    assert [json.loads(each.body)["data"]["companyName"] for each in queues.claim()] == [
        "Company 2",
        "Company 3",
    ]


def test_retries_use_the_same_hold_and_the_same_body(world, queues):
    world.subscribe()
    queues.fan_out_signals(headcount())
    (first,) = queues.deliver(FAILED)
    world.clock.advance(2)
    (second,) = queues.deliver(FAILED)
    world.clock.advance(7)
    (third,) = queues.deliver(OK)
    assert first.body == second.body == third.body
    assert [each.attempts for each in (first, second, third)] == [0, 1, 2]
    assert queues.ledger_kinds(world.first) == ["hold", "capture"]

"""Deliveries of signals of a later day, sent and charged on that day."""

import pytest
from opt_out_fixtures import OptOutWorld
from queue_fixtures import OK, QueueWorld
from webhook_fixtures import CONTACT, TODAY, headcount, move, news

from firmograph.database.connection import AccountSession, account_scope
from firmograph.directory.identity import Digests
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.subscriptions import store as subscription_store
from record_factory import KEYRING

TOMORROW = "2026-09-22"
TO_MIDNIGHT = 36_000.0
"""Seconds to a few minutes after midnight."""


@pytest.fixture
def queue(world):
    return QueueWorld(world)


def advance_to_midnight(queue):
    queue.world.clock.advance(TO_MIDNIGHT)
    queue.fan_out_signals()


def deliver_all(queue):
    """Deliver everything due and return the deliver_all of the signals in their order."""
    found = []
    while attempts := queue.deliver():
        found += [attempt.body.decode().partition('"signalDate":"')[2][:10] for attempt in attempts]
    return found


def test_a_signal_of_tomorrow_is_sent_and_charged_on_its_day_without_delaying_others(world, queue):
    world.subscribe()
    queue.fan_out_signals(headcount(day=TOMORROW), headcount(day=TODAY), headcount(day="2026-09-20"))
    assert deliver_all(queue) == [TODAY, "2026-09-20"]
    assert world.balance(world.first).used == 2
    advance_to_midnight(queue)
    assert deliver_all(queue) == [TOMORROW]
    assert world.balance(world.first).used == 3
    assert deliver_all(queue) == []
    (one,) = world.subscriptions()
    assert (one.queued, one.active) == (0, 1)


def test_a_scheduled_delivery_is_queued_behind_waiting_ones(world, queue):
    world.subscribe()
    queue.fan_out_signals(headcount(day=TOMORROW))
    world.clock.advance(TO_MIDNIGHT)
    queue.fan_out_signals(headcount(day=TODAY, type="headcountIncrease1m"))
    assert deliver_all(queue) == [TOMORROW, TODAY]
    queue.fan_out_signals(headcount(day="2026-09-23"), headcount(day="2026-09-19"))
    (late,) = queue.claim()
    world.clock.advance(86_400)
    queue.fan_out_signals()
    queue.record([late], OK)
    assert b"2026-09-19" in late.body
    assert deliver_all(queue) == ["2026-09-23"]


def test_a_scheduled_delivery_does_not_go_to_later_subscriptions(world, queue):
    world.subscribe()
    queue.fan_out_signals(headcount(day=TOMORROW))
    world.subscribe(world.second)
    advance_to_midnight(queue)
    assert [each.account_id for each in queue.deliver()] == [world.first]


def test_a_worker_started_after_midnight_sends_at_once(world, queue):
    world.subscribe()
    world.detect(headcount(day=TOMORROW))
    world.clock.advance(TO_MIDNIGHT)
    queue.fan_out_signals()
    assert deliver_all(queue) == [TOMORROW]


def test_several_workers_queue_a_scheduled_delivery_once(world, queue):
    world.subscribe()
    queue.fan_out_signals(headcount(day=TOMORROW), news(day=TOMORROW))
    world.clock.advance(TO_MIDNIGHT)
    others = [FanOut(world.database, world.clock, world.plans, Digests(KEYRING), 30) for _ in range(2)]
    assert [one.step() for one in others] == [2, 0]
    assert len(world.deliveries()) == 2
    assert world.subscriptions()[0].queued == 2


def test_a_scheduled_delivery_waits_while_its_subscription_is_disabled(world, queue):
    one = world.subscribe()
    queue.fan_out_signals(headcount(day=TOMORROW))
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.disable(AccountSession(session, world.first), [one.id], world.clock.seconds())
    advance_to_midnight(queue)
    assert deliver_all(queue) == []
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.reactivate(AccountSession(session, world.first), [one.id], world.clock.seconds())
    assert deliver_all(queue) == [TOMORROW]


def test_a_scheduled_delivery_counts_as_undelivered_and_is_deleted_with_its_subscription(world, queue):
    one = world.subscribe()
    queue.fan_out_signals(headcount(day=TOMORROW))
    assert count_undelivered(world, one.token) == count_undelivered(world) == 1
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.delete(AccountSession(session, world.first), [one.id])
    assert count_undelivered(world) == 0
    advance_to_midnight(queue)
    assert world.deliveries() == []


def test_a_scheduled_delivery_is_deleted_with_its_suppressed_person(world):
    people, queue = OptOutWorld(world), QueueWorld(world)
    world.subscribe(number=people.zoe, entity=CONTACT)
    queue.fan_out_signals(move(people.zoe, TOMORROW))
    people.suppress()
    assert count_undelivered(world) == 0
    advance_to_midnight(queue)
    assert deliver_all(queue) == []


def count_undelivered(world, subscription=None):
    with world.database.read() as session:
        return delivery_store.count_undelivered(AccountSession(session, world.first), subscription)

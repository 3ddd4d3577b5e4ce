"""Deliveries of signals of tomorrow: made when these are detected, sent and charged on their day."""

import pytest
from opt_out_fixtures import OptOutWorld
from queue_fixtures import OK, QueueWorld
from webhook_fixtures import CONTACT, TODAY, headcount, move, news

from firmograph.database.connection import account_scope
from firmograph.directory.identity import Digests
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.subscriptions import store as subscription_store
from record_factory import KEYRING

TOMORROW = "2026-09-22"
TO_MIDNIGHT = 36_000.0
"""Seconds, and some minutes more."""


@pytest.fixture
def queue(world):
    return QueueWorld(world)


def to_midnight(queue):
    queue.world.clock.advance(TO_MIDNIGHT)
    queue.tell()


def days(queue):
    """Of the signals that are delivered now, one after the other, in their order."""
    found = []
    while attempts := queue.deliver():
        found += [attempt.body.decode().partition('"signalDate":"')[2][:10] for attempt in attempts]
    return found


def test_one_is_sent_and_charged_on_its_day_and_others_do_not_wait(world, queue):
    world.subscribe()
    queue.tell(headcount(day=TOMORROW), headcount(day=TODAY), headcount(day="2026-09-20"))
    assert days(queue) == [TODAY, "2026-09-20"]
    assert world.balance(world.first).used == 2
    to_midnight(queue)
    assert days(queue) == [TOMORROW]
    assert world.balance(world.first).used == 3
    assert days(queue) == []
    (one,) = world.subscriptions()
    assert (one.queued, one.active) == (0, 1)


def test_on_its_day_it_comes_behind_what_waits(world, queue):
    world.subscribe()
    queue.tell(headcount(day=TOMORROW))
    world.clock.advance(TO_MIDNIGHT)
    queue.tell(headcount(day=TODAY, type="headcountIncrease1m"))
    assert days(queue) == [TOMORROW, TODAY]
    queue.tell(headcount(day="2026-09-23"), headcount(day="2026-09-19"))
    (late,) = queue.take()
    world.clock.advance(86_400)
    queue.tell()
    queue.record([late], OK)
    assert b"2026-09-19" in late.body
    assert days(queue) == ["2026-09-23"]


def test_it_is_not_for_those_who_subscribe_after_its_detection(world, queue):
    world.subscribe()
    queue.tell(headcount(day=TOMORROW))
    world.subscribe(world.second)
    to_midnight(queue)
    assert [each.account_id for each in queue.deliver()] == [world.first]


def test_a_worker_that_was_down_when_the_day_began_sends_at_once(world, queue):
    world.subscribe()
    world.detect(headcount(day=TOMORROW))
    world.clock.advance(TO_MIDNIGHT)
    queue.tell()
    assert days(queue) == [TOMORROW]


def test_each_is_queued_once_whatever_the_number_of_workers(world, queue):
    world.subscribe()
    queue.tell(headcount(day=TOMORROW), news(day=TOMORROW))
    world.clock.advance(TO_MIDNIGHT)
    others = [FanOut(world.database, world.clock, world.plans, Digests(KEYRING), 30) for _ in range(2)]
    assert [one.step() for one in others] == [2, 0]
    assert len(world.deliveries()) == 2
    assert world.subscriptions()[0].queued == 2


def test_one_that_its_owner_disables_before_the_day_waits_as_others_do(world, queue):
    one = world.subscribe()
    queue.tell(headcount(day=TOMORROW))
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.disable(session, [one.id], world.clock.seconds())
    to_midnight(queue)
    assert days(queue) == []
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.reactivate(session, [one.id], world.clock.seconds())
    assert days(queue) == [TOMORROW]


def test_it_counts_as_undelivered_and_goes_with_its_subscription(world, queue):
    one = world.subscribe()
    queue.tell(headcount(day=TOMORROW))
    assert undelivered(world, one.token) == undelivered(world) == 1
    with world.database.write(account_scope(world.first)) as session:
        subscription_store.delete(session, [one.id])
    assert undelivered(world) == 0
    to_midnight(queue)
    assert world.deliveries() == []


def test_it_goes_with_the_person_concerned(world):
    people, queue = OptOutWorld(world), QueueWorld(world)
    world.subscribe(number=people.zoe, entity=CONTACT)
    queue.tell(move(people.zoe, TOMORROW))
    people.suppress()
    assert undelivered(world) == 0
    to_midnight(queue)
    assert days(queue) == []


def undelivered(world, subscription=None):
    with world.database.read() as session:
        return delivery_store.count_undelivered(session, world.first, subscription)

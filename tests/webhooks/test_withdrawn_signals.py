"""Deliveries of signals that go with the source that stated them (docs/reference/signals.md#sources)."""

import pytest
from queue_fixtures import FAILED, OK, QueueWorld
from webhook_fixtures import COMPANY, headcount, news

from firmograph.database.connection import EVERY_ACCOUNT, RECORDS, SUBSCRIPTIONS
from firmograph.signals.statements import Origin
from firmograph.signals.store import store_signals
from firmograph.webhooks.types import State, Status
from firmograph.webhooks.withdrawal import WITHDRAWN, recompose_of_records, withdraw_source
from record_factory import DIGESTS

SEEN = OK._replace(body=b'{"echo":"It happened."}')


@pytest.fixture
def queue(world):
    return QueueWorld(world)


def detect(world, queue, source, *detected):
    """Detect signals that a source states, and create their deliveries."""
    with world.database.write(RECORDS) as session:
        store_signals(session, DIGESTS, detected, world.clock.seconds(), origin=Origin(source))
    queue.fan_out_signals()


def withdraw(world):
    with world.database.write(RECORDS) as session:
        return withdraw_source(session, 1, 10)


def test_queued_deliveries_are_cancelled_and_their_holds_released(world, queue):
    subscription = world.subscribe()
    detect(world, queue, 1, news(), headcount())
    queue.deliver(FAILED)
    assert world.balance(world.first).held > 0
    assert len(withdraw(world).deleted) == 2
    states = [(State(row["state"]), row["body"], row["reason"]) for row in world.deliveries()]
    assert states == [(State.CANCELLED, None, WITHDRAWN)] * 2
    assert queue.first.finish_cancelled() == 2
    assert (world.balance(world.first).held, world.balance(world.first).used) == (0, 0)
    assert world.subscription(subscription.token).queued == 0


def test_what_was_delivered_and_charged_stays_without_what_receivers_answered(world, queue):
    world.subscribe()
    detect(world, queue, 1, news())
    queue.deliver(SEEN)
    used = world.balance(world.first).used
    withdraw(world)
    assert world.balance(world.first).used == used > 0
    assert [(row["status"], row["acknowledgement"]) for row in world.audit()] == [(Status.SUCCESS, None)]


def test_deliveries_of_signals_that_another_source_states_continue(world, queue):
    world.subscribe()
    detect(world, queue, 1, news())
    detect(world, queue, 2, news())
    assert withdraw(world) == (1, [])
    assert len(queue.deliver()) == 1


def test_bodies_of_records_that_lost_values_are_composed_again(world, queue):
    world.subscribe()
    detect(world, queue, 1, news())
    queue.deliver(FAILED)
    (before,) = world.deliveries()
    with world.database.write(RECORDS) as session:
        session.enter(SUBSCRIPTIONS, EVERY_ACCOUNT)
        recompose_of_records(session, COMPANY, [1])
    (after,) = world.deliveries()
    assert before["body"] is not None
    assert (after["body"], after["state"]) == (None, before["state"])

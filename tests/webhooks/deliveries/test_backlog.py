"""Backlog figures for monitoring."""

import pytest
import sqlalchemy as sa
from queue_fixtures import FAILED, QueueWorld
from webhook_fixtures import CONTACT, TODAY, headcount, move

from firmograph.jobs.runner_cycle import RunnerCycle
from firmograph.webhooks.deliveries.store import Backlog
from firmograph.webhooks.deliveries.worker import TEXTS

_disable = sa.text("UPDATE accounts SET active = 0 WHERE id = :id")


@pytest.fixture
def queues(world):
    return QueueWorld(world)


def test_claimable_deliveries_are_counted_until_they_are_delivered(world, queues):
    assert queues.first.backlog() == Backlog(0, 0)
    queues.create_queues(3, "https://r{}.example.com/")
    assert queues.first.backlog() == Backlog(3, 0)
    attempts = queues.claim(1)
    assert queues.second.backlog() == Backlog(3, 0)
    queues.record(attempts)
    assert queues.first.backlog() == Backlog(2, 0)


def test_signals_are_counted_until_their_deliveries_exist(world, queues):
    world.subscribe(number=1)
    world.detect(headcount(1), headcount(2))
    assert queues.first.backlog() == Backlog(0, 2)
    queues.fan_out.step(1)
    assert queues.first.backlog() == Backlog(1, 1)
    queues.fan_out.step()
    assert queues.first.backlog() == Backlog(1, 0)


def test_a_waiting_retry_is_counted_once_it_is_due(world, queues):
    queues.create_queues(1, "https://r{}.example.com/")
    queues.deliver(FAILED)
    assert queues.first.backlog().deliveries == 0
    world.clock.advance(2)
    assert queues.first.backlog().deliveries == 1


def test_deliveries_without_credits_or_of_a_disabled_account_are_not_counted(world, queues):
    poor = world.account("poor", credits=0)
    world.subscribe(poor, 1, entity=CONTACT)
    queues.fan_out_signals(move(1, TODAY))
    assert queues.first.backlog().deliveries == 1
    assert queues.claim() == []
    assert queues.first.backlog().deliveries == 0
    queues.create_queues(1, "https://r{}.example.com/", day="2026-09-20")
    assert queues.first.backlog().deliveries == 1
    with world.database.write(None) as session:
        session.execute(_disable, {"id": world.first})
    assert queues.first.backlog().deliveries == 0


class Observer:
    def __init__(self):
        self.backlogs = []

    def set_backlog(self, deliveries, signals):
        self.backlogs.append((deliveries, signals))


def test_a_worker_reports_its_backlog_at_startup_and_every_ten_seconds(world, queues):
    observer = Observer()
    steps = {"fan-out": queues.fan_out.step}
    cycle = RunnerCycle(queues.first, steps, world.clock, observer, TEXTS, TEXTS.make_error_log())
    world.subscribe(number=1)
    world.detect(headcount(1))
    for _ in range(2):
        cycle.run(0)
    assert observer.backlogs == [(1, 0)]
    world.clock.advance(10)
    cycle.run(0)
    assert observer.backlogs == [(1, 0)] * 2

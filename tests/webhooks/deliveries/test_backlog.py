"""What waits for the workers, as those who watch them are told."""

import pytest
import sqlalchemy as sa
from queue_fixtures import FAILED, QueueWorld
from webhook_fixtures import CONTACT, TODAY, headcount, move

from firmograph.webhooks.deliveries.store import Backlog
from firmograph.webhooks.deliveries.worker_cycle import WorkerCycle, make_error_log

_disable = sa.text("UPDATE accounts SET active = 0 WHERE id = :id")


@pytest.fixture
def queues(world):
    return QueueWorld(world)


def test_deliveries_that_may_go_are_counted_until_they_went(world, queues):
    assert queues.first.backlog() == Backlog(0, 0)
    queues.lanes(3, "https://r{}.example.com/")
    assert queues.first.backlog() == Backlog(3, 0)
    attempts = queues.take(1)
    assert queues.second.backlog() == Backlog(3, 0)
    queues.record(attempts)
    assert queues.first.backlog() == Backlog(2, 0)


def test_signals_count_until_deliveries_were_made_of_them(world, queues):
    world.subscribe(number=1)
    world.detect(headcount(1), headcount(2))
    assert queues.first.backlog() == Backlog(0, 2)
    queues.fan_out.step(1)
    assert queues.first.backlog() == Backlog(1, 1)
    queues.fan_out.step()
    assert queues.first.backlog() == Backlog(1, 0)


def test_what_waits_for_a_retry_counts_once_it_is_due(world, queues):
    queues.lanes(1, "https://r{}.example.com/")
    queues.deliver(FAILED)
    assert queues.first.backlog().deliveries == 0
    world.clock.advance(2)
    assert queues.first.backlog().deliveries == 1


def test_what_waits_for_credits_or_for_its_account_does_not_count(world, queues):
    poor = world.account("poor", credits=0)
    world.subscribe(poor, 1, entity=CONTACT)
    queues.tell(move(1, TODAY))
    assert queues.first.backlog().deliveries == 1
    assert queues.take() == []
    assert queues.first.backlog().deliveries == 0
    queues.lanes(1, "https://r{}.example.com/", day="2026-09-20")
    assert queues.first.backlog().deliveries == 1
    with world.database.write(None) as session:
        session.execute(_disable, {"id": world.first})
    assert queues.first.backlog().deliveries == 0


class Told:
    def __init__(self):
        self.backlogs = []

    def set_backlog(self, deliveries, signals):
        self.backlogs.append((deliveries, signals))


def test_a_worker_tells_it_at_its_start_and_every_ten_seconds(world, queues):
    told = Told()
    cycle = WorkerCycle(queues.first, queues.fan_out, world.clock, told, make_error_log())
    world.subscribe(number=1)
    world.detect(headcount(1))
    for _ in range(2):
        cycle.run(0)
    assert told.backlogs == [(1, 0)]
    world.clock.advance(10)
    cycle.run(0)
    assert told.backlogs == [(1, 0)] * 2

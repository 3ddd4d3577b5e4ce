"""Subscriptions, holds and credits of accounts that are closed."""

from queue_fixtures import FAILED, QueueWorld
from webhook_fixtures import headcount, news

from firmograph.accounts.service import Accounts
from firmograph.billing.types import Balance
from firmograph.jobs.scheduler import JobWorker
from installation_factory import installation_of, jobs_of

DAY = 86_400.0


def test_a_closed_account_holds_nothing_and_is_sent_nothing_and_is_erased_after_30_days(world):
    queue = QueueWorld(world)
    world.subscribe()
    world.subscribe(world.second)
    queue.fan_out_signals(headcount(), news())
    queue.deliver(FAILED)
    assert world.balance(world.first).held > 0
    accounts = installation_of(world.database, world.clock).get(Accounts)
    accounts.add_user("First", "ann@first.example")
    closed = accounts.close("First")
    assert world.balance(world.first) == Balance(0, 0, 0)
    assert queue.ledger_kinds(world.first) == ["hold", "release", "expiry"]
    assert [(one.account_id, one.active) for one in world.subscriptions()] == [
        (world.first, 0),
        (world.second, 1),
    ]
    world.clock.advance(29 * DAY)
    _work(world)
    assert {one.account_id for one in world.subscriptions()} == {world.first, world.second}
    world.clock.advance(1.1 * DAY)
    _work(world)
    assert {one.account_id for one in world.subscriptions()} == {world.second}
    assert (world.secret(world.first), accounts.users("First")) == (None, [])
    assert world.secret(world.second)
    assert accounts.find("First").closed_at == closed.closed_at
    assert queue.ledger_kinds(world.first) == ["hold", "release", "expiry"]


def _work(world):
    """Do all due periodic jobs."""
    worker = JobWorker(world.database, world.clock, jobs_of(world.database))
    while worker.step():
        pass

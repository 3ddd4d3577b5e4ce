"""Concurrent callers and fan-out, with exact counts."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import msgspec
from subscription_calls import SubscriptionCalls
from webhook_fixtures import COMPANY, headcount, news

from firmograph.kit.errors import Forbidden
from firmograph.settings import Settings
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.subscriptions import shapes
from record_factory import DIGESTS


def subscriptions(world, **settings):
    return SubscriptionCalls(world, Settings(**settings))


def create(service, world, account, *numbers):
    """Create subscriptions and return their number."""
    defaults = {"url": "https://a.example.com/", "entityType": "company", "signalTypes": ["allSignals"]}
    items = [{"entityId": str(world.tokens.legacy(COMPANY, number))} for number in numbers]
    body = msgspec.convert({"defaults": defaults, "subscriptions": items}, shapes.CreateSubscriptions)
    try:
        return service.create(account, body, world.clock.seconds())["successful"]
    except Forbidden:
        return 0


def delete(service, world, account):
    ids = [one.id for one in service.page(account, 25, 0).data]
    return service.delete(account, ids, world.clock.seconds())["successful"] if ids else 0


def test_concurrent_callers_exceed_neither_one_subscription_per_record_nor_the_maximum(
    long_lock_timeout, world
):
    service = subscriptions(world, webhook_max_subscriptions=4)
    calls = [(1, 2), (2, 3), (4, 3), (5, 1)] * 2
    with ThreadPoolExecutor(len(calls)) as pool:
        for _ in range(5):
            barrier = Barrier(len(calls))

            def call(numbers, barrier=barrier):
                barrier.wait()
                return create(service, world, world.first, *numbers)

            assert sum(pool.map(call, calls)) == 4
            assert len({one.entity_id for one in world.subscriptions()}) == 4
            assert delete(service, world, world.first) == 4


def test_deleting_subscriptions_during_fan_out_leaves_no_deliveries(long_lock_timeout, world):
    service = subscriptions(world)
    fan_out = FanOut(world.database, world.clock, world.plans, DIGESTS, 30)
    days = [f"2026-09-{day:02}" for day in range(1, 21)]

    def subscribers():
        return [
            (create(service, world, account, 1, 2, 3), delete(service, world, account))
            for _ in range(20)
            for account in (world.first, world.second)
        ]

    def signals():
        for day in days:
            world.detect(
                *(make_signal(number, day) for number in (1, 2, 3) for make_signal in (headcount, news))
            )
            while fan_out.step():
                pass

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(subscribers), pool.submit(subscribers), pool.submit(signals)]
        for one in running:
            one.result()
    queued = {one.id: one.queued for one in world.subscriptions()}
    waiting = [row["subscription_id"] for row in world.deliveries()]
    assert queued == {id: waiting.count(id) for id in queued}
    assert set(waiting) <= set(queued)
    assert all(row["error"] == "The subscription was deleted" for row in world.audit())

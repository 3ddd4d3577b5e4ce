"""Several callers at once, and the fan-out beside them: what is counted stays true."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import msgspec
from webhook_fixtures import COMPANY, headcount, news

from firmograph.kit.errors import Forbidden
from firmograph.settings import Settings
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.subscriptions import shapes
from firmograph.webhooks.subscriptions.service import Subscriptions
from record_factory import DIGESTS


def subscriptions(world, **settings):
    return Subscriptions(world.database, world.tokens, world.secrets, Settings(**settings))


def create(service, world, account, *numbers):
    """How many were made."""
    defaults = {"url": "https://a.example.com/", "entityType": "company", "signalTypes": ["allSignals"]}
    items = [{"entityId": str(world.tokens.legacy(COMPANY, number))} for number in numbers]
    body = msgspec.convert({"defaults": defaults, "subscriptions": items}, shapes.CreateSubscriptions)
    try:
        return service.create(account, body, world.clock.seconds()).successful
    except Forbidden:
        return 0


def delete(service, world, account):
    ids = [one.id for one in service.page(account, 25, 0).data]
    return service.delete(account, ids, world.clock.seconds()).successful if ids else 0


def test_callers_at_once_make_no_two_of_a_record_nor_more_than_they_may(patient, world):
    service = subscriptions(world, webhook_max_subscriptions=4)
    asked = [(1, 2), (2, 3), (4, 3), (5, 1)] * 2
    with ThreadPoolExecutor(len(asked)) as pool:
        for _ in range(5):
            together = Barrier(len(asked))

            def call(numbers, together=together):
                together.wait()
                return create(service, world, world.first, *numbers)

            assert sum(pool.map(call, asked)) == 4
            assert len({one.entity_id for one in world.subscriptions()}) == 4
            assert delete(service, world, world.first) == 4


def test_what_is_deleted_while_signals_come_leaves_no_delivery_behind(patient, world):
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
            world.detect(*(made(number, day) for number in (1, 2, 3) for made in (headcount, news)))
            while fan_out.step():
                pass

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(subscribers), pool.submit(subscribers), pool.submit(signals)]
        for one in running:
            one.result()
    held = {one.id: one.queued for one in world.subscriptions()}
    waiting = [row["subscription_id"] for row in world.deliveries()]
    assert held == {id: waiting.count(id) for id in held}
    assert set(waiting) <= set(held)
    assert all(row["error"] == "The subscription was deleted" for row in world.audit())

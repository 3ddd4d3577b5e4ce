"""Memory of the unfinished bodies of an account, of which there are 1,000 bytes here: 750 for long bodies."""

import asyncio

import pytest

from firmograph.api import body_budget
from firmograph.api.body_budget import BodyBudget

pytestmark = pytest.mark.no_database


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(body_budget, "ACCOUNT_BYTES", 1_000)
    monkeypatch.setattr(body_budget, "SHORT_BYTES", 50)


class Bodies:
    """Bodies that take their memory in the order of `take`, and those that have it."""

    def __init__(self):
        self.budget = BodyBudget()
        self.admitted = []

    async def take(self, name, size, account="one"):
        async def wait():
            await self.budget.take(account, size)
            self.admitted.append(name)

        task = asyncio.create_task(wait())
        await settled()
        return task

    async def give_back(self, size, account="one"):
        self.budget.give_back(account, size)
        await settled()


async def settled():
    for _ in range(3):
        await asyncio.sleep(0)


def run(scenario):
    bodies = Bodies()
    asyncio.run(scenario(bodies))
    return bodies.admitted


def test_a_body_beyond_the_memory_waits_until_another_is_finished():
    async def scenario(bodies):
        await bodies.take("first", 400)
        await bodies.take("second", 400)
        assert bodies.admitted == ["first"]
        await bodies.give_back(400)

    assert run(scenario) == ["first", "second"]


def test_bodies_that_wait_are_read_in_their_order_whatever_their_size():
    async def scenario(bodies):
        for name, size in (("first", 700), ("large", 600), ("small", 51)):
            await bodies.take(name, size)
        # it would fit, but the larger one came before
        assert bodies.admitted == ["first"]
        await bodies.give_back(700)

    assert run(scenario) == ["first", "large", "small"]


def test_a_short_body_does_not_wait_for_long_ones():
    async def scenario(bodies):
        await bodies.take("long", 750)
        await bodies.take("longer", 751)
        for number in range(6):
            await bodies.take(number, 50)

    assert run(scenario) == ["long", 0, 1, 2, 3, 4]


def test_accounts_do_not_wait_for_each_other():
    async def scenario(bodies):
        await bodies.take("one", 750)
        await bodies.take("two", 750, account="two")

    assert run(scenario) == ["one", "two"]


@pytest.mark.parametrize("size", [751, 1_001, 10**9])
def test_a_body_larger_than_the_memory_is_read_alone(size):
    async def scenario(bodies):
        await bodies.take("short", 1)
        await bodies.take("large", size)
        assert bodies.admitted == ["short"]
        await bodies.give_back(1)

    assert run(scenario) == ["short", "large"]


def test_a_body_that_no_longer_waits_lets_others_through():
    async def scenario(bodies):
        await bodies.take("first", 400)
        waiting = await bodies.take("gone", 700)
        await bodies.take("next", 300)
        waiting.cancel()
        await settled()

    assert run(scenario) == ["first", "next"]


def test_a_body_that_ends_as_its_turn_comes_gives_its_memory_back():
    async def scenario(bodies):
        await bodies.take("first", 700)
        waiting = await bodies.take("gone", 700)
        await bodies.take("next", 700)
        bodies.budget.give_back("one", 700)
        waiting.cancel()
        await settled()

    assert run(scenario) == ["first", "next"]


def test_an_account_without_bodies_takes_no_memory():
    async def scenario(bodies):
        for account in range(3):
            await bodies.take(account, 700, account)
            await bodies.give_back(700, account)
        assert not bodies.budget._accounts

    run(scenario)

"""The places where rate limits are counted, as tests use them: each call makes an installation of its own."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import NamedTuple

from firmograph.billing.plans import Plan, Plans, load_plans
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.rate_limits.local import LocalRateLimiter
from firmograph.rate_limits.redis import RedisRateLimiter
from firmograph.rate_limits.redis_counters import RedisCounters, connect
from firmograph.rate_limits.shared_memory import create_counter_file, open_counter_file, remove_counter_file
from firmograph.rate_limits.windows import RateLimiter
from services.redis_server import RedisServer

MOST = 1000
"""The most requests a second that a plan of these tests allows, where it allows any number."""

MIDNIGHT = 1_790_035_200
"""A moment at which a minute, an hour and a day of UTC begin."""


class Place(NamedTuple):
    opened: Callable[..., AbstractContextManager[list[RateLimiter]]]
    """Takes the clocks of the processes that count together, one each."""
    processes: int
    """How many do so in a history."""


_numbers = count(1)


def plan(*, second=None, minute=1000, hour=None, day=1000) -> Plan:
    base = load_plans().named("pro")
    return Plan(
        name="test",
        category="test",
        renewal="none",
        second=second,
        minute=minute,
        hour=hour,
        day=day,
        prices=base.prices,
        features=base.features,
    )


def taken(limits: RateLimiter, plan: Plan, times: int, path=None, account: int = 1) -> int:
    """How many of so many requests are admitted."""
    return sum(limits.take(account, plan, path)[1] is None for _ in range(times))


@contextmanager
def _stopping(limits: list[RateLimiter]) -> Iterator[list[RateLimiter]]:
    try:
        yield limits
    finally:
        for one in limits:
            one.stop()


def one_process() -> Place:
    return Place(lambda clock: _stopping([LocalRateLimiter(clock)]), 1)


def workers() -> Place:
    """What is shared by the workers of one server, within one process here: its locks exclude nobody."""

    def opened(*clocks: SetClock) -> AbstractContextManager[list[RateLimiter]]:
        path = create_counter_file(Plans({"test": plan(second=MOST)}))
        limits: list[RateLimiter] = [LocalRateLimiter(clock, open_counter_file(path)) for clock in clocks]
        remove_counter_file(path)
        return _stopping(limits)

    return Place(opened, 3)


def servers(server: RedisServer, database: Database) -> Place:
    def opened(*clocks: SetClock) -> AbstractContextManager[list[RateLimiter]]:
        name = f"test{next(_numbers)}"
        made = [
            RedisRateLimiter(
                RedisCounters(connect(server.url), name), database, clock, LocalRateLimiter(clock)
            )
            for clock in clocks
        ]
        for limits in made:
            assert limits.retry()
        return _stopping(list(made))

    return Place(opened, 3)

"""Counter backends of rate limits, and a plan with chosen limits."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import NamedTuple

from firmograph.billing.plans import Plans
from firmograph.bootstrap.packages import load_plans
from firmograph.caller import Plan
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.rate_limits.local import LocalRateLimiter
from firmograph.rate_limits.redis import RedisRateLimiter
from firmograph.rate_limits.redis_counters import RedisCounters, connect
from firmograph.rate_limits.shared_memory import create_counter_file, open_counter_file, remove_counter_file
from firmograph.rate_limits.windows import RateLimiter
from services.redis_server import RedisServer

MOST = 1000
"""Requests a second of the largest plan in these tests."""

MIDNIGHT = 1_790_035_200
"""Start of a minute, an hour and a day in UTC."""


class Backend(NamedTuple):
    """One of the ways to count rate limits; each opening is a new installation."""

    open_limiters: Callable[..., AbstractContextManager[list[RateLimiter]]]
    """Opens one rate limiter for each clock; they count together."""
    processes: int
    """Number of processes in a history."""


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


def count_admitted(limits: RateLimiter, plan: Plan, times: int, path=None, account: int = 1) -> int:
    """Make requests and return how many are admitted."""
    return sum(limits.take(account, plan, path)[1] is None for _ in range(times))


@contextmanager
def _stopping(limits: list[RateLimiter]) -> Iterator[list[RateLimiter]]:
    try:
        yield limits
    finally:
        for one in limits:
            one.stop()


def one_process() -> Backend:
    return Backend(lambda clock: _stopping([LocalRateLimiter(clock)]), 1)


def workers() -> Backend:
    """Return the backend of one server's workers; they run in one process here, where file locks exclude nobody."""

    def open_limiters(*clocks: SetClock) -> AbstractContextManager[list[RateLimiter]]:
        path = create_counter_file(Plans({"test": plan(second=MOST)}))
        limits: list[RateLimiter] = [LocalRateLimiter(clock, open_counter_file(path)) for clock in clocks]
        remove_counter_file(path)
        return _stopping(limits)

    return Backend(open_limiters, 3)


def servers(server: RedisServer, database: Database) -> Backend:
    def open_limiters(*clocks: SetClock) -> AbstractContextManager[list[RateLimiter]]:
        name = f"test{next(_numbers)}"
        limiters = [
            RedisRateLimiter(
                RedisCounters(connect(server.url), name), database, clock, LocalRateLimiter(clock)
            )
            for clock in clocks
        ]
        for limits in limiters:
            assert limits.retry()
        return _stopping(list(limiters))

    return Backend(open_limiters, 3)

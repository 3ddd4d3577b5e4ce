"""Equal histories of calls through all counters: in the process, in shared memory and in Redis."""

from contextlib import ExitStack

import limit_fixtures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limit_fixtures import MIDNIGHT, plan

import database_fixtures
from firmograph.accounts.authentication import rate_limit_headers, rate_limit_refusal
from firmograph.database.connection import Database
from firmograph.kit.clock import SetClock
from firmograph.rate_limits.windows import DAY, HOUR, MINUTE

pytestmark = pytest.mark.any_database

small = st.integers(1, 6) | st.just(1000)
plans = st.builds(
    plan,
    second=st.none() | small,
    minute=small,
    hour=st.none() | small,
    day=st.integers(1, 12) | st.just(1000),
)
steps = st.one_of(
    st.just(0.0),
    st.floats(0, 1.5),
    st.floats(-2, 0),
    st.sampled_from([MINUTE, HOUR, DAY, -HOUR, -DAY, -DAY - 1]),
    st.floats(-2 * DAY, 2 * DAY),
)
calls = st.tuples(
    steps, st.integers(0, 2), st.sampled_from([None, None, "usage", "webhooks"]), st.integers(0, 8)
)
"""Step of the clock, number of the plan, path, and number of requests."""


@pytest.fixture(scope="module")
def backends(redis_server, tmp_path_factory):
    database = Database(database_fixtures.fresh(tmp_path_factory.mktemp("limits")))
    yield [
        limit_fixtures.one_process(),
        limit_fixtures.workers(),
        limit_fixtures.servers(redis_server, database),
    ]
    database.close()
    database_fixtures.drop(database.url)


def answer(limits, plan, path):
    """Make a request and return its decision, counts and headers, and what a reading shows afterwards."""
    used, hit = limits.take(1, plan, path)
    refusal = None if hit is None else (hit, str(rate_limit_refusal(hit)), rate_limit_refusal(hit).headers())
    return used, refusal, rate_limit_headers(plan, used), limits.used(1)


@given(changing=st.lists(plans, min_size=3, max_size=3), history=st.lists(calls, max_size=20))
def test_all_counters_give_equal_answers_to_equal_histories(backends, changing, history):
    clock = SetClock(MIDNIGHT)
    with ExitStack() as opened:
        limiters = [opened.enter_context(backend.open_limiters(clock))[0] for backend in backends]
        for step, number, path, requests in history:
            clock.advance(max(step, -clock.seconds()))
            readings = [limits.used(1) for limits in limiters]
            assert readings == readings[:1] * len(limiters)
            for _ in range(requests):
                answers = [answer(limits, changing[number], path) for limits in limiters]
                assert answers == answers[:1] * len(limiters)

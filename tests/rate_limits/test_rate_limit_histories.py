"""Rate limits under generated histories of clocks, compared with all admitted requests."""

from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limit_fixtures import MIDNIGHT

from firmograph.bootstrap.packages import load_plans
from firmograph.caller import Plan
from firmograph.kit.clock import SetClock
from firmograph.rate_limits.windows import DAY, HOUR, MINUTE, PATH_LIMITS

pytestmark = pytest.mark.any_database

small = st.integers(1, 6) | st.just(1000)
plans = st.builds(
    Plan,
    name=st.just("any"),
    category=st.just(""),
    renewal=st.just(""),
    second=st.none() | small,
    minute=small,
    hour=st.none() | small,
    day=st.integers(1, 12) | st.just(1000),
    prices=st.just(load_plans().named("pro").prices),
    features=st.just({}),
)
# quarters of a second have exact sums; clocks move back by at most the guaranteed day
steps = st.one_of(
    st.integers(0, 8),
    st.sampled_from([MINUTE * 4, MINUTE * 4 - 1, HOUR * 4, DAY * 4]),
    st.integers(-HOUR * 4, 0),
    st.integers(0, 2 * DAY * 4),
).map(lambda quarters: quarters / 4)
paths = st.sampled_from([None, None, "usage"])
histories = st.lists(st.tuples(st.integers(0, 2), steps, st.integers(1, 8), paths), max_size=20)
"""Process number, step of its clock, number of requests, and their path."""


class Replay:
    """A run of a history, with the admitted requests by the latest time of any clock."""

    def __init__(self, plan: Plan, clocks, nodes) -> None:
        self.plan = plan
        self.clocks = clocks
        self.nodes = nodes
        self.latest = 0.0
        self.admitted: list[tuple[float, str | None]] = []

    def run(self, history) -> None:
        for node, step, requests, path in history:
            limits = self.at(node, step)
            for _ in range(requests):
                self.request(limits, path)

    def at(self, node: int, step: float):
        """Advance the clock of a process and return the process."""
        index = node % len(self.nodes)
        clock = self.clocks[index]
        # the guarantee holds for a clock set back by up to a day
        clock.advance(max(step, self.latest - DAY - clock.seconds()))
        self.latest = max(self.latest, clock.seconds())
        return self.nodes[index]

    def request(self, limits, path) -> None:
        before = limits.used(1)
        used, hit = limits.take(1, self.plan, path)
        if hit is None:
            self.admitted.append((self.latest, path))
            assert used[:3] == tuple(count + 1 for count in before[:3])
        else:
            assert used[:3] == before[:3]
            assert hit.seconds > 0

    def most(self, length: int, path: str | None = None) -> int:
        """Return the largest number of admitted requests in a fixed window of this length."""
        counts: dict[float, int] = {}
        for at, used_path in self.admitted:
            if path in (None, used_path):
                counts[at // length] = counts.get(at // length, 0) + 1
        return max(counts.values(), default=0)

    def most_in_a_second(self) -> int:
        times = [at for at, _ in self.admitted]
        return max((sum(start <= at < start + 1 for at in times) for start in times), default=0)


@contextmanager
def replayed(backend, plan, history):
    """Run a history and yield its result while the processes still count."""
    clocks = [SetClock(MIDNIGHT) for _ in range(backend.processes)]
    with backend.open_limiters(*clocks) as limits:
        replay = Replay(plan, clocks, limits)
        replay.run(history)
        yield replay


@given(plan=plans, history=histories)
def test_no_window_ever_admits_more_than_its_limit(backend, plan, history):
    with replayed(backend, plan, history) as replay:
        assert replay.most(MINUTE) <= plan.minute
        assert plan.hour is None or replay.most(HOUR) <= plan.hour
        assert replay.most(DAY) <= plan.day
        assert replay.most(MINUTE, "usage") <= PATH_LIMITS["usage"]
        assert plan.second is None or replay.most_in_a_second() <= plan.second


@given(plan=plans, history=histories)
def test_a_refusal_is_never_given_while_every_window_has_room(backend, plan, history):
    with replayed(backend, plan, history) as replay:
        hit = replay.at(0, 0).take(1, plan, None)[1]
        at = replay.latest
        full = {
            "minute": sum(t // MINUTE == at // MINUTE for t, _ in replay.admitted) >= plan.minute,
            "hour": sum(t // HOUR == at // HOUR for t, _ in replay.admitted) >= (plan.hour or 10**9),
            "day": sum(t // DAY == at // DAY for t, _ in replay.admitted) >= plan.day,
            "second": sum(at - t < 1 for t, _ in replay.admitted) >= (plan.second or 10**9),
        }
        assert (hit is not None) == any(full.values())
        assert hit is None or full[hit.window]

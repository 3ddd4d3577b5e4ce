"""Contestants measured in turn, with callers' waits: every round is kept, and ratios are of rounds.

Unlike in `bench.rounds`, a contestant may be several servers, has other processes counted separately, and never
repeats a request before all others of its pool were sent.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from statistics import median

import msgspec

from bench.client import CONNECTIONS, Load, load
from bench.rounds import WARM_SECONDS, Check
from bench.servers import Server, cpu_seconds


class Round(msgspec.Struct):
    """The figures of a contestant in one round. Times for each request, in microseconds."""

    per_second: float
    p50: float
    p99: float
    cpu: float
    """Processor time of the servers."""
    apart: float
    """Processor time of the services that they use: PostgreSQL or Redis."""
    written: float = 0.0
    """Changes a second written by another process at the same time."""


class Compared(msgspec.Struct):
    """Contestants under one kind of request."""

    title: str
    names: list[str]
    rounds: list[list[Round]]
    """Rounds of each contestant."""

    def median(self, contestant: int, figure: str) -> float:
        return median(float(getattr(one, figure)) for one in self.rounds[contestant])

    def ratio(self, figure: str, contestant: int = 1) -> float:
        """Return the ratio to the first contestant's figure."""
        return median(other / first for first, other in self._pairs(figure, contestant))

    def added(self, figure: str, contestant: int = 1) -> float:
        """Return the difference from the first contestant's figure."""
        return median(other - first for first, other in self._pairs(figure, contestant))

    def _pairs(self, figure: str, contestant: int) -> Iterator[tuple[float, float]]:
        """Return the figures of the first contestant and of another, round by round."""
        for first, other in zip(self.rounds[0], self.rounds[contestant], strict=True):
            yield getattr(first, figure), getattr(other, figure)


class Pool:
    """Requests of one kind, sent one after another over all rounds."""

    def __init__(self, requests: Sequence[bytes], check: Check) -> None:
        self.requests = requests
        self.check = check
        self.sent = 0


Alongside = Callable[[], AbstractContextManager[Callable[[], float] | None]]
"""Work during a round, with a counter of written changes."""


class Contestant(msgspec.Struct):
    name: str
    servers: Sequence[Server]
    pool: Pool
    apart: Sequence[int] = ()
    """Processes that are counted separately, with their children."""
    callers: int = CONNECTIONS
    alongside: Alongside = nullcontext


def compare(title: str, contestants: Sequence[Contestant], rounds: int, seconds: float) -> Compared:
    """Run all in turn, `rounds` times `seconds` each, after a warm-up."""
    for one in contestants:
        _load(one, min(WARM_SECONDS, seconds))
    measured = [[_round(one, seconds) for one in contestants] for _ in range(rounds)]
    return Compared(
        title, [one.name for one in contestants], [list(of) for of in zip(*measured, strict=True)]
    )


def _round(one: Contestant, seconds: float) -> Round:
    with one.alongside() as written:
        before, cpu, apart = written() if written else 0.0, _cpu(one), _separate_cpu(one)
        done = _load(one, seconds)
        cpu, apart = _cpu(one) - cpu, _separate_cpu(one) - apart
        changes = written() - before if written else 0.0
    waits = sorted(done.waits)
    micros = 1e6 / done.answered
    return Round(
        done.per_second,
        part(waits, 0.5) * 1e6,
        part(waits, 0.99) * 1e6,
        cpu * micros,
        apart * micros,
        changes / done.seconds,
    )


def _load(one: Contestant, seconds: float) -> Load:
    pool = one.pool
    done = load([server.port for server in one.servers], pool.requests, seconds, pool.sent, one.callers)
    pool.sent += done.answered + one.callers
    pool.check(done.samples)
    return done


def _cpu(one: Contestant) -> float:
    return sum(server.cpu_seconds() for server in one.servers)


def _separate_cpu(one: Contestant) -> float:
    return sum(cpu_seconds(pid) for pid in one.apart)


def part(waits: Sequence[float], part: float) -> float:
    """Return the wait that this part of all waits does not exceed."""
    return waits[min(int(part * len(waits)), len(waits) - 1)]

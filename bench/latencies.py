"""Contestants measured in turn, with how long callers wait: every round is kept, and ratios are of rounds.

Unlike `bench.rounds`, a contestant may be several servers, has processes beside it that are counted apart, and never
sends a request again before all others of its pool were sent.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from statistics import median

import msgspec

from bench.client import CONNECTIONS, Load, load
from bench.rounds import WARM_SECONDS, Check
from bench.servers import Server, cpu_seconds


class Round(msgspec.Struct):
    """What a contestant reached in one round. Times by request, in microseconds."""

    per_second: float
    p50: float
    p99: float
    cpu: float
    """Processor time of the servers."""
    apart: float
    """Processor time of what they ask: PostgreSQL or Redis."""
    written: float = 0.0
    """Changes a second that another process wrote meanwhile."""


class Compared(msgspec.Struct):
    """Contestants under one kind of request."""

    title: str
    names: list[str]
    rounds: list[list[Round]]
    """Of each contestant, one after the other."""

    def median(self, contestant: int, figure: str) -> float:
        return median(float(getattr(one, figure)) for one in self.rounds[contestant])

    def ratio(self, figure: str, contestant: int = 1) -> float:
        """In parts of the first contestant's."""
        return median(other / first for first, other in self._pairs(figure, contestant))

    def added(self, figure: str, contestant: int = 1) -> float:
        """More than the first contestant's."""
        return median(other - first for first, other in self._pairs(figure, contestant))

    def _pairs(self, figure: str, contestant: int) -> Iterator[tuple[float, float]]:
        """Of the first contestant and of another, round by round."""
        for first, other in zip(self.rounds[0], self.rounds[contestant], strict=True):
            yield getattr(first, figure), getattr(other, figure)


class Pool:
    """Requests of one kind, sent one after the other over all rounds."""

    def __init__(self, requests: Sequence[bytes], check: Check) -> None:
        self.requests = requests
        self.check = check
        self.sent = 0


Beside = Callable[[], AbstractContextManager[Callable[[], float] | None]]
"""What goes on during a round; it gives a counter of the changes written."""


class Contestant(msgspec.Struct):
    name: str
    servers: Sequence[Server]
    pool: Pool
    apart: Sequence[int] = ()
    """Processes that are counted apart, with their children."""
    callers: int = CONNECTIONS
    beside: Beside = nullcontext


def compare(title: str, contestants: Sequence[Contestant], rounds: int, seconds: float) -> Compared:
    """Let all run in turn, `rounds` times `seconds` each, after a moment to warm up."""
    for one in contestants:
        _load(one, min(WARM_SECONDS, seconds))
    held = [[_round(one, seconds) for one in contestants] for _ in range(rounds)]
    return Compared(title, [one.name for one in contestants], [list(of) for of in zip(*held, strict=True)])


def _round(one: Contestant, seconds: float) -> Round:
    with one.beside() as written:
        before, cpu, apart = written() if written else 0.0, _cpu(one), _apart(one)
        done = _load(one, seconds)
        cpu, apart = _cpu(one) - cpu, _apart(one) - apart
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
    pool.check(done.kept)
    return done


def _cpu(one: Contestant) -> float:
    return sum(server.cpu_seconds() for server in one.servers)


def _apart(one: Contestant) -> float:
    return sum(cpu_seconds(pid) for pid in one.apart)


def part(waits: Sequence[float], part: float) -> float:
    """The wait that this part of all waits does not exceed."""
    return waits[min(int(part * len(waits)), len(waits) - 1)]

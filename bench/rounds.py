"""Contestants measured in turn, A B A B, since machines drift: the median of the rounds counts.

A ratio is the median of the ratios within each round. Processor time for each request is the steadier figure: other
programs on the machine reduce requests a second, but hardly change it.
"""

from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

import msgspec

from bench.client import load
from bench.servers import Server

WARM_SECONDS = 1.0

Check = Callable[[Sequence[tuple[int, bytes]]], None]


class Speed(msgspec.Struct):
    """The figures of a contestant."""

    name: str
    per_second: float
    cpu_micros: float
    """Processor time of the server for each request."""


class Compared(msgspec.Struct):
    """Contestants under one mix."""

    title: str
    speeds: list[Speed]
    ratio: float
    """Ratio of the first one's requests a second to the last one's."""
    cpu_ratio: float
    """Ratio of the last one's processor time for each request to the first one's."""


class Contestant(NamedTuple):
    name: str
    server: Server
    requests: Sequence[bytes]
    check: Check | None = None


class _Round(NamedTuple):
    per_second: float
    cpu_micros: float


def compare(title: str, contestants: Sequence[Contestant], rounds: int, seconds: float) -> Compared:
    """Run all in turn, `rounds` times `seconds` each, after a warm-up."""
    for one in contestants:
        _run(one, WARM_SECONDS, 0)
    measured = [[_run(one, seconds, number) for one in contestants] for number in range(rounds)]
    speeds = [
        Speed(
            one.name,
            median(rounds[place].per_second for rounds in measured),
            median(rounds[place].cpu_micros for rounds in measured),
        )
        for place, one in enumerate(contestants)
    ]
    return Compared(
        title,
        speeds,
        median(rounds[0].per_second / rounds[-1].per_second for rounds in measured),
        median(rounds[-1].cpu_micros / rounds[0].cpu_micros for rounds in measured),
    )


def _run(one: Contestant, seconds: float, number: int) -> _Round:
    before = one.server.cpu_seconds()
    # a third of the pool further each time, so that short rounds do not repeat the same requests
    done = load([one.server.port], one.requests, seconds, number * (len(one.requests) // 3 + 1))
    used = one.server.cpu_seconds() - before
    if one.check:
        one.check(done.samples)
    return _Round(done.per_second, used / done.answered * 1e6)

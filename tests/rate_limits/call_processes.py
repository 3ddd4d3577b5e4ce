"""Processes that call for one account as fast as they can, over counters that they share."""

import random
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from firmograph.billing.plans import Plan
from firmograph.kit.clock import SetClock
from firmograph.rate_limits.local import LocalRateLimiter
from firmograph.rate_limits.shared_memory import open_counter_file

PROCESSES = get_context("spawn")

# an hour and more on average over a run, so that processes stay within the day of each other that is promised
_STEPS = (*[0.0] * 8, 0.05, 0.25, 0.25, -0.25, 5.0)


def requests(path: str, plan: Plan, times: int, seed: int, together: Any, admitted: Connection) -> None:
    """So many requests at times that jump about; sends clock and counted time of each that was admitted."""
    chance, clock = random.Random(seed), SetClock()
    limits = LocalRateLimiter(clock, open_counter_file(path))
    found = []
    together.wait()
    for _ in range(times):
        clock.advance(chance.choice(_STEPS) if seed else 0)
        used, hit = limits.take(1, plan, None)
        if hit is None:
            found.append((clock.seconds(), used.at))
    admitted.send(found)


def requests_until_killed(path: str, plan: Plan, answered: Any) -> None:
    limits = LocalRateLimiter(SetClock(), open_counter_file(path))
    while True:
        limits.take(1, plan, None)
        answered.value += 1


def admitted_together(path: str, plan: Plan, times: int, seeds: list[int]) -> list[tuple[float, float]]:
    """What several processes were admitted; a seed of 0 keeps that process's clock still."""
    started, together = [], PROCESSES.Barrier(len(seeds))
    for seed in seeds:
        ours, theirs = PROCESSES.Pipe(duplex=False)
        process = PROCESSES.Process(target=requests, args=(path, plan, times, seed, together, theirs))
        process.start()
        theirs.close()
        started.append((process, ours))
    found = [one for _, ours in started for one in ours.recv()]
    for process, _ in started:
        process.join()
    return found

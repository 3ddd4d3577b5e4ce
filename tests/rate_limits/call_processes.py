"""Processes that call for one account as fast as possible over shared counters."""

import random
from multiprocessing.connection import Connection
from typing import Any

from firmograph.caller import Plan
from firmograph.kit.clock import SetClock
from firmograph.rate_limits.local import LocalRateLimiter
from firmograph.rate_limits.shared_memory import open_counter_file
from forked_workers import PROCESSES

# clocks advance by more than an hour on average over a run, and stay within the guaranteed day of each other
_STEPS = (*[0.0] * 8, 0.05, 0.25, 0.25, -0.25, 5.0)


def make_requests(path: str, plan: Plan, times: int, seed: int, barrier: Any, admitted: Connection) -> None:
    """Make requests at irregular times, and send the clock's and the counted time of each admitted one."""
    chance, clock = random.Random(seed), SetClock()
    limits = LocalRateLimiter(clock, open_counter_file(path))
    times_of_admitted = []
    barrier.wait()
    for _ in range(times):
        clock.advance(chance.choice(_STEPS) if seed else 0)
        used, hit = limits.take(1, plan, None)
        if hit is None:
            times_of_admitted.append((clock.seconds(), used.at))
    admitted.send(times_of_admitted)


def make_requests_until_killed(path: str, plan: Plan, answered: Any) -> None:
    limits = LocalRateLimiter(SetClock(), open_counter_file(path))
    while True:
        limits.take(1, plan, None)
        answered.value += 1


def admitted_together(path: str, plan: Plan, times: int, seeds: list[int]) -> list[tuple[float, float]]:
    """Return the times of admitted requests of parallel processes; seed 0 keeps a process's clock still."""
    started, barrier = [], PROCESSES.Barrier(len(seeds))
    for seed in seeds:
        ours, theirs = PROCESSES.Pipe(duplex=False)
        process = PROCESSES.Process(target=make_requests, args=(path, plan, times, seed, barrier, theirs))
        process.start()
        theirs.close()
        started.append((process, ours))
    times_of_admitted = [one for _, ours in started for one in ours.recv()]
    for process, _ in started:
        process.join()
    return times_of_admitted

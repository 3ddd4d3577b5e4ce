"""Long waits in a steady load, and the state of the server and its machine at the time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, starmap
from typing import NamedTuple

import msgspec

from bench.steady_load import Calls
from bench.steady_watch import LATE_SECONDS, Stacks, Thread, Tick, Watched

SILENT_SECONDS = 0.1
"""Seconds without any answer that make an episode, even if each call was answered in time."""
_SHARE = 0.5
"""Least part of an episode that its cause accounts for."""
_LOOP = "asyncio/runners.py"
_IDLE = ("api/thread_pool.py", "threading.py", "concurrent/futures/thread.py", _LOOP)
"""Files of the innermost frame of a thread that waits for work."""

_GENERAL = ("firmograph/kit/", "firmograph/database/", "firmograph/security/", "firmograph/outbound/")
"""Packages that every feature calls."""


class Interval(NamedTuple):
    begin: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.begin


class Evidence(msgspec.Struct):
    """The evidence of an episode, in seconds unless stated otherwise."""

    late: float
    """Longest pause of the watching process."""
    own: float
    """Processor time of the server's main thread."""
    queued: float
    """Time in which that thread had no core."""
    server: float
    """Processor time of the whole server."""
    faults: int
    stolen: float
    disk: float
    """Time in which some process waited for the disk."""
    flush: float
    """Longest time of flushing 4 KiB to the disk."""
    garbage: float
    """Time in garbage collections."""
    frames: int
    """Frames in the write-ahead log at the end."""
    moved: int
    """Frames that a checkpoint moved."""
    importing: bool
    places: list[tuple[str, int]]
    """Observed places of threads, the most frequent first."""


class Episode(msgspec.Struct):
    """A time without an answer; or the slowest call of a time with both late and answered calls."""

    begin: float
    """Seconds from the start of the load."""
    silent: bool
    seconds: float
    calls: int
    """Calls that waited for longer than `LATE_SECONDS` in that time."""
    slowest: float
    kinds: list[tuple[str, int]]
    """Kinds of these calls, the most frequent first."""
    until_over: float
    """Seconds from its beginning to the end of the last late call that follows without a pause."""
    evidence: Evidence

    @property
    def cause(self) -> str:
        """Return the first explanation that accounts for half of it."""
        found, least = self.evidence, self.seconds * _SHARE
        causes = (
            (found.late, "machine: the watching process stood still too"),
            (found.stolen, "machine: its host took the processor"),
            (found.queued - (found.server - found.own), "machine: the server's core was taken"),
            (found.garbage, "server: garbage collection"),
            (found.flush, f"disk: a flush of 4 KiB took {found.flush:.2f} s"),
            (found.own, "server: the main thread was at work"),
            (found.server, "server: its other threads were at work"),
            (found.disk, "disk: processes waited for it"),
        )
        return next((text for seconds, text in causes if seconds >= least), "not explained")


def episodes(
    calls: Calls,
    names: Sequence[str],
    watched: Watched,
    pauses: Sequence[Interval],
    imports: Sequence[Interval],
) -> list[Episode]:
    """Return all episodes in the order of time."""
    late = [
        (Interval(due, end), kind)
        for due, end, kind in zip(calls.due, calls.answered, calls.kinds, strict=True)
        if end - due >= LATE_SECONDS
    ]
    silences = _silences(calls)
    found = []
    for stretch in _merged([*(one for one, _ in late), *silences]):
        waits = [one for one, _ in late if _overlap(one, stretch)]
        cores = [one for one in silences if _overlap(one, stretch)] or [max(waits, key=_seconds)]
        for core in cores:
            within = [(one, kind) for one, kind in late if _overlap(one, core)]
            found.append(
                Episode(
                    begin=core.begin - calls.begun,
                    silent=core in silences,
                    seconds=core.seconds,
                    calls=len(within),
                    slowest=max((one.seconds for one, _ in within), default=0.0),
                    kinds=Counter(names[kind] for _, kind in within).most_common(),
                    until_over=stretch.end - core.begin,
                    evidence=_evidence(core, watched, pauses, imports),
                )
            )
    return found


def _seconds(one: Interval) -> float:
    return one.seconds


def longest_silence(calls: Calls) -> float:
    return max((one.seconds for one in _between(calls)), default=0.0)


def _between(calls: Calls) -> Iterator[Interval]:
    """Yield the time from each answer to the next."""
    return starmap(Interval, pairwise([calls.begun, *calls.answered]))


def _silences(calls: Calls) -> list[Interval]:
    return [one for one in _between(calls) if one.seconds >= SILENT_SECONDS]


def _merged(intervals: Iterable[Interval]) -> list[Interval]:
    made: list[Interval] = []
    for one in sorted(intervals):
        if made and one.begin <= made[-1].end:
            made[-1] = Interval(made[-1].begin, max(made[-1].end, one.end))
        else:
            made.append(one)
    return made


def _overlap(one: Interval, other: Interval) -> float:
    return max(0.0, min(one.end, other.end) - max(one.begin, other.begin))


def _evidence(
    stretch: Interval, watched: Watched, pauses: Sequence[Interval], imports: Sequence[Interval]
) -> Evidence:
    ticks = _around(watched.ticks, stretch)
    first, last = ticks[0], ticks[-1]
    probes = [Interval(probe.at, probe.at + probe.seconds) for probe in watched.probes]
    stacks = [stack for stack in watched.stacks if stretch.begin <= stack.at <= stretch.end]
    return Evidence(
        late=max(tick.late for tick in ticks),
        own=last.own - first.own,
        queued=last.queued - first.queued,
        server=last.server - first.server,
        faults=last.faults - first.faults,
        stolen=last.stolen - first.stolen,
        disk=last.disk - first.disk,
        flush=max((one.seconds for one in probes if _overlap(one, stretch)), default=0.0),
        garbage=sum(_overlap(one, stretch) for one in pauses),
        frames=last.frames,
        moved=max(0, last.moved - first.moved),
        importing=any(_overlap(one, stretch) for one in imports),
        places=places(stacks),
    )


def _around(ticks: Sequence[Tick], stretch: Interval) -> Sequence[Tick]:
    """Return those of a time range, with the one before it and the one after it."""
    first = max((place for place, tick in enumerate(ticks) if tick.at <= stretch.begin), default=0)
    last = next((place for place, tick in enumerate(ticks) if tick.at >= stretch.end), len(ticks) - 1)
    return ticks[first : last + 1]


def places(stacks: Iterable[Stacks]) -> list[tuple[str, int]]:
    """Return the place of the main thread, and of others that did not just wait for work."""
    found: Counter[str] = Counter()
    for one in stacks:
        for thread in one.threads:
            if thread.main:
                found[f"main: {_description(thread)}"] += 1
            elif thread.frames and not _is_idle(thread.frames[0]):
                found[_description(thread)] += 1
    return found.most_common()


def _is_idle(frame: str) -> bool:
    return frame.partition(":")[0].endswith(_IDLE)


def _description(thread: Thread) -> str:
    """Return the innermost frame, the service's function that called it, and its obstacle."""
    state = thread.kernel.partition(" ")[0]
    obstacle = " with the interpreter's lock" * thread.interprets + " (disk)" * (state == "D")
    if not thread.frames or thread.frames[0].partition(":")[0].endswith(_LOOP):
        return "the event loop" + obstacle
    callers = [
        frame for frame in thread.frames if frame.startswith("firmograph/") and not frame.startswith(_GENERAL)
    ]
    inner = thread.frames[0]
    return inner + (f" of {callers[0]}" if callers and callers[0] != inner else "") + obstacle

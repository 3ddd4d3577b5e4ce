"""Rate limit windows of an account (docs/reference/account.md#rate-limits).

Minute, hour and day are fixed windows aligned to UTC; the second is a sliding window. They are checked in the order
second, path, minute, hour, day; a refused call is not counted. The rules here run on counters in the process and in
shared memory; Redis has the same rules in Lua (`redis_limits.lua`), and a change of one is a change of both.
"""

from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol, runtime_checkable

from firmograph.caller import Plan
from firmograph.database.connection import Session
from firmograph.rate_limits import store

MINUTE, HOUR, DAY = 60, 3_600, 86_400

PATH_LIMITS = {"usage": 5, "webhooks": 100}
"""Requests a minute per account to the paths that share each window, on every plan."""

WINDOWS = {"minute": MINUTE, "hour": HOUR, "day": DAY, **dict.fromkeys(PATH_LIMITS, MINUTE)}
"""Lengths in seconds of the fixed windows, in the order of their counters."""

CELLS = 2 * len(WINDOWS)
"""Integers that store the fixed windows of one account: start, in seconds since the epoch, and count of each."""

OFFSETS = {name: 2 * place for place, name in enumerate(WINDOWS)}
"""Place of each window's start among the cells; its count follows."""

OPERATOR_KEYS: Final = 2**30
"""From here on counters are of operators' keys, which are counted where accounts are, and never saved."""

OPERATOR_SECOND: Final = 20
"""Requests a second of an operator's key."""

_RETENTION = 3 * DAY


def delete_ended_windows(session: Session, now: float, most: int) -> int:
    """Delete up to `most` saved counters of windows that ended at least two days ago and return their number."""
    # no window is longer than a day
    return store.delete_old_counters(session, int(now) - _RETENTION, most)


class LimitHit(NamedTuple):
    """Full window that refused a call, its limit, and the seconds until a retry can succeed."""

    window: str
    limit: int
    seconds: float


class AllowedRequests(Protocol):
    """AllowedRequests of the windows of an account, such as its plan; None is unlimited."""

    @property
    def second(self) -> int | None: ...
    @property
    def minute(self) -> int: ...
    @property
    def hour(self) -> int | None: ...
    @property
    def day(self) -> int: ...


class WindowUsage(NamedTuple):
    """Requests counted in the current windows, and the time of the reading."""

    minute: int
    hour: int
    day: int
    at: float


@runtime_checkable
class RateLimiter(Protocol):
    save_seconds: float
    """Interval of calls to `save` while there are `unsaved` counters."""

    def take(
        self, account_id: int, plan: Plan, path_window: str | None
    ) -> tuple[WindowUsage, LimitHit | None]:
        """Count one request; if a window is full, count nothing and return the hit."""
        ...

    def used(self, account_id: int) -> WindowUsage:
        """Return the current counts."""
        ...

    def start(self, session: Session) -> None:
        """Load the counters saved by earlier processes; called before the first request."""
        ...

    def unsaved(self) -> bool:
        """Return whether `save` has anything to write."""
        ...

    def save(self, session: Session) -> None:
        """Save the counters changed since the last call, inside a write transaction. One statement."""
        ...

    def stop(self) -> None:
        """End threads and close connections; called after the last `save`."""
        ...


class RecentTimes:
    """Times of an account's requests within the last second."""

    __slots__ = ("_times", "latest")

    def __init__(self) -> None:
        self.latest = 0.0
        """Latest time seen; the account's clock never goes back behind it."""
        self._times: deque[float] = deque()

    def nth(self, number: int) -> float:
        """Return the time of the request `number` before the next, so 1 is the last one; 0.0 if there is none."""
        times = self._times
        while times and times[0] <= self.latest - 1:
            times.popleft()
        return times[-number] if len(times) >= number else 0.0

    def add(self, at: float) -> None:
        self._times.append(at)

    def within(self, since: float) -> list[float]:
        """Return the times after `since`, in order."""
        return [at for at in self._times if at > since]

    def clear(self) -> None:
        self.latest = 0.0
        self._times.clear()


class RequestTimes(Protocol):
    """Storage of the times of an account's latest requests."""

    latest: float

    def nth(self, number: int) -> float: ...
    def add(self, at: float) -> None: ...
    def within(self, since: float) -> list[float]: ...
    def clear(self) -> None: ...


class Cells(Protocol):
    """Storage of the integers of one account's windows."""

    def __getitem__(self, at: int, /) -> int: ...
    def __setitem__(self, at: int, number: int, /) -> None: ...


class AccountCounters:
    """Counters of one account, in storage that may be shared with other processes.

    The caller holds the account's lock. As a process may be killed between any two steps, the steps are ordered so that
    the counts stay correct except for the request being counted.
    """

    __slots__ = ("cells", "times")

    def __init__(self, cells: Cells | None = None, times: RequestTimes | None = None) -> None:
        self.cells: Cells = [0] * CELLS if cells is None else cells
        self.times: RequestTimes = RecentTimes() if times is None else times

    def roll(self, clock: float) -> float:
        """Start the windows of the current time and return that time, which never goes back.

        If the clock is behind the latest time by more than a day, that time was wrong and all counters are reset, so
        that a start before network time synchronisation cannot lock accounts out for years.
        """
        now = self.times.latest
        if clock >= now:
            now = clock
            self.times.latest = now
        elif now - clock > DAY:
            self.clear()
            now = clock
            self.times.latest = now
        cells = self.cells
        start = now - now % MINUTE
        if cells[0] != start:
            self._begin(0, start)
        start = now - now % HOUR
        if cells[2] != start:
            self._begin(2, start)
        start = now - now % DAY
        if cells[4] != start:
            self._begin(4, start)
        return now

    def _begin(self, at: int, start: float) -> None:
        # reset the count first: if the process is killed in between, the new window must not start with old counts
        self.cells[at + 1] = 0
        self.cells[at] = int(start)

    def clear(self) -> None:
        self.times.clear()
        for at in range(0, CELLS, 2):
            self._begin(at, 0)

    def hit(self, limits: AllowedRequests, path: str | None, path_limit: int, now: float) -> LimitHit | None:
        """Return the first full window in the order of checks."""
        if limits.second is not None:
            wait = self.times.nth(limits.second) + 1 - now
            if wait > 0:
                return LimitHit("second", limits.second, wait)
        cells = self.cells
        if path is not None:
            at = OFFSETS[path]
            start = now - now % MINUTE
            if cells[at] != start:
                self._begin(at, start)
            if cells[at + 1] >= path_limit:
                return LimitHit(path, path_limit, self._left(at, MINUTE, now))
        if cells[1] >= limits.minute:
            return LimitHit("minute", limits.minute, self._left(0, MINUTE, now))
        if limits.hour is not None and cells[3] >= limits.hour:
            return LimitHit("hour", limits.hour, self._left(2, HOUR, now))
        if cells[5] >= limits.day:
            return LimitHit("day", limits.day, self._left(4, DAY, now))
        return None

    def _left(self, at: int, length: int, now: float) -> float:
        """Return the seconds until the window ends."""
        return self.cells[at] + length - now

    def add(self, limits: AllowedRequests, path: str | None, now: float) -> None:
        if limits.second is not None:
            self.times.add(now)
        cells = self.cells
        cells[1] += 1
        cells[3] += 1
        cells[5] += 1
        if path is not None:
            cells[OFFSETS[path] + 1] += 1

    def used(self, now: float) -> WindowUsage:
        cells = self.cells
        return WindowUsage(cells[1], cells[3], cells[5], now)

    def raise_to(self, name: str, start: int, count: int) -> None:
        """Merge a count from elsewhere: a later window replaces the current one, the same window keeps the maximum."""
        at = OFFSETS[name]
        if start > self.cells[at]:
            self._begin(at, start)
        if start == self.cells[at]:
            self.cells[at + 1] = max(self.cells[at + 1], count)
            self.times.latest = max(self.times.latest, start)

    def windows(self) -> Iterator[tuple[str, int, int]]:
        """Yield name, start in seconds since the epoch and count of each window in use."""
        for name, at in OFFSETS.items():
            if self.cells[at + 1]:
                yield name, self.cells[at], self.cells[at + 1]

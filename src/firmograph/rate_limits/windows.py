"""Rate limits: how often an account may call (decisions, row 11 and C, Windows).

Minute, hour and day are fixed windows aligned to UTC, the second slides. They are tested in the order
second, path, minute, hour, day; a refused call uses up nothing. The rules stand here once for every place that
counts in Python (`local_limits.py`), and once more in Lua for Redis (`redis_limits.lua`).
"""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from firmograph.billing.plans import Plan
from firmograph.database.connection import Session

MINUTE, HOUR, DAY = 60, 3_600, 86_400

PATH_LIMITS = {"usage": 5, "webhooks": 100}
"""Requests a minute that an account may make to the paths sharing each window, whatever its plan."""

WINDOWS = {"minute": MINUTE, "hour": HOUR, "day": DAY, **dict.fromkeys(PATH_LIMITS, MINUTE)}
"""Lengths in seconds of the fixed windows, in the order in which their counters lie."""

CELLS = 2 * len(WINDOWS)
"""Whole numbers that the fixed windows of one account take: the period that is counted, and the count."""

_AT = {name: 2 * place for place, name in enumerate(WINDOWS)}


class Hit(NamedTuple):
    """The window that a refused call ran into, its limit, and the seconds until it may be tried again."""

    window: str
    limit: int
    seconds: float


class Used(NamedTuple):
    """Requests counted in the running windows, and the time that they were read at."""

    minute: int
    hour: int
    day: int
    at: float


class Limits(Protocol):
    save_seconds: float
    """How often `save` is to be called while there is something `unsaved`."""

    def take(self, account_id: int, plan: Plan, path_window: str | None) -> tuple[Used, Hit | None]:
        """Count one request, unless a window is full: then count nothing and say which."""
        ...

    def used(self, account_id: int) -> Used:
        """What is counted at present."""
        ...

    def start(self, session: Session) -> None:
        """Before the first request: take up what earlier processes saved."""
        ...

    def unsaved(self) -> bool:
        """Whether `save` has anything to write."""
        ...

    def save(self, session: Session) -> None:
        """Write down what changed since the last time, inside a write transaction. One statement."""
        ...

    def stop(self) -> None:
        """After the last `save`: end threads, close connections."""
        ...


class Recent:
    """The times of an account's latest requests, for as long as they can matter."""

    __slots__ = ("_times", "latest")

    def __init__(self) -> None:
        self.latest = 0.0
        """The latest time seen; the account's clock never goes behind it."""
        self._times: deque[float] = deque()

    def nth(self, number: int) -> float:
        """The time of the request so many before the next: 1 is the last one; 0 where there is none."""
        times = self._times
        while times and times[0] <= self.latest - 1:
            times.popleft()
        return times[-number] if len(times) >= number else 0.0

    def add(self, at: float) -> None:
        self._times.append(at)

    def within(self, since: float) -> list[float]:
        """The times after `since`, in order."""
        return [at for at in self._times if at > since]

    def clear(self) -> None:
        self.latest = 0.0
        self._times.clear()


class Times(Protocol):
    """What `Recent` keeps in this process, wherever it is kept."""

    latest: float

    def nth(self, number: int) -> float: ...
    def add(self, at: float) -> None: ...
    def within(self, since: float) -> list[float]: ...
    def clear(self) -> None: ...


class Cells(Protocol):
    """The whole numbers of one account."""

    def __getitem__(self, at: int, /) -> int: ...
    def __setitem__(self, at: int, number: int, /) -> None: ...


class Counters:
    """The counters of one account over numbers that may lie in memory shared with other processes.

    Whoever calls holds the account's lock. A process may be killed between any two steps, so each sequence of
    steps leaves counts that are right but for the one request that was being counted.
    """

    __slots__ = ("cells", "times")

    def __init__(self, cells: Cells | None = None, times: Times | None = None) -> None:
        self.cells: Cells = [0] * CELLS if cells is None else cells
        self.times: Times = Recent() if times is None else times

    def roll(self, clock: float) -> float:
        """Begin the windows that the time calls for, and tell that time: it never goes back here.

        A clock that is behind by more than a day was wrong before, and counting begins anew, so that a start before
        the network time is known cannot lock accounts out for years.
        """
        now = self.times.latest
        if clock >= now:
            now = self.times.latest = clock
        elif now - clock > DAY:
            self.clear()
            now = self.times.latest = clock
        cells = self.cells
        minute = int(now // MINUTE)
        if cells[0] != minute:
            self._begin(0, minute)
        if cells[2] != (hour := int(now // HOUR)):
            self._begin(2, hour)
        if cells[4] != (day := int(now // DAY)):
            self._begin(4, day)
        return now

    def _begin(self, at: int, period: int) -> None:
        # emptied first: killed in between, the new period would begin with the counts of the old one
        self.cells[at + 1] = 0
        self.cells[at] = period

    def clear(self) -> None:
        self.times.clear()
        for at in range(0, CELLS, 2):
            self._begin(at, 0)

    def hit(self, plan: Plan, path: str | None, now: float, share: int = 1) -> Hit | None:
        """The first full window, in the order of decisions C; of each limit, one part in `share` is allowed."""
        if plan.second is not None:
            second = plan.second // share or 1
            if (wait := self.times.nth(second) + 1 - now) > 0:
                return Hit("second", second, wait)
        cells = self.cells
        if path is not None:
            at = _AT[path]
            if cells[at] != (minute := int(now // MINUTE)):
                self._begin(at, minute)
            if cells[at + 1] >= (limit := PATH_LIMITS[path] // share or 1):
                return Hit(path, limit, self._left(at, MINUTE, now))
        if cells[1] >= (limit := plan.minute // share or 1):
            return Hit("minute", limit, self._left(0, MINUTE, now))
        if plan.hour is not None and cells[3] >= (limit := plan.hour // share or 1):
            return Hit("hour", limit, self._left(2, HOUR, now))
        if cells[5] >= (limit := plan.day // share or 1):
            return Hit("day", limit, self._left(4, DAY, now))
        return None

    def _left(self, at: int, length: int, now: float) -> float:
        """Seconds until the window ends."""
        return (self.cells[at] + 1) * length - now

    def add(self, plan: Plan, path: str | None, now: float) -> None:
        if plan.second is not None:
            self.times.add(now)
        cells = self.cells
        cells[1] += 1
        cells[3] += 1
        cells[5] += 1
        if path is not None:
            cells[_AT[path] + 1] += 1

    def used(self, now: float) -> Used:
        cells = self.cells
        return Used(cells[1], cells[3], cells[5], now)

    def windows(self) -> Iterator[tuple[str, int, int]]:
        """Name, start in seconds since the epoch and count of each window that holds anything."""
        for name, length in WINDOWS.items():
            at = _AT[name]
            if self.cells[at + 1]:
                yield name, self.cells[at] * length, self.cells[at + 1]

    def raise_to(self, name: str, start: int, count: int) -> None:
        """Take up what was counted elsewhere: a later window replaces, the same one keeps the greater count."""
        at, period = _AT[name], start // WINDOWS[name]
        if period > self.cells[at]:
            self._begin(at, period)
        if period == self.cells[at]:
            self.cells[at + 1] = max(self.cells[at + 1], count)
            self.times.latest = max(self.times.latest, start)

"""Rate limits: how often an account may call (decisions, row 11 and C, Windows).

Minute, hour and day are fixed windows aligned to UTC, the second slides. They are tested in the order
second, path, minute, hour, day; a refused call uses up nothing.
"""

import threading
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from firmograph.accounts import request_store as store
from firmograph.accounts.plans import Plan
from firmograph.kit.clock import Clock
from firmograph.kit.database import Session

MINUTE, HOUR, DAY = 60, 3_600, 86_400

PATH_LIMITS = {"usage": 5, "webhooks": 100}
"""Requests a minute that an account may make to the paths sharing each window, whatever its plan."""


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
    def take(self, account_id: int, plan: Plan, path_window: str | None) -> tuple[Used, Hit | None]:
        """Count one request, unless a window is full: then count nothing and say which."""
        ...

    def used(self, account_id: int) -> Used:
        """What is counted at present."""
        ...


class _Window:
    """One fixed window: the number of the period that is counted, and the count."""

    __slots__ = ("count", "length", "period")

    def __init__(self, length: int, period: int = 0, count: int = 0) -> None:
        self.length = length
        self.period = period
        self.count = count

    def roll(self, now: float) -> None:
        period = int(now // self.length)
        if period != self.period:
            self.period = period
            self.count = 0

    def left(self, now: float) -> float:
        """Seconds until the window ends."""
        return (self.period + 1) * self.length - now


class _Counters:
    """The counters of one account."""

    __slots__ = ("day", "hour", "minute", "paths", "recent")

    def __init__(self) -> None:
        self.minute = _Window(MINUTE)
        self.hour = _Window(HOUR)
        self.day = _Window(DAY)
        self.paths: dict[str, _Window] = {}
        # times of the latest requests, kept only while a plan limits the second
        self.recent: deque[float] = deque()

    def roll(self, now: float) -> None:
        self.minute.roll(now)
        self.hour.roll(now)
        self.day.roll(now)

    def windows(self) -> Iterable[tuple[str, _Window]]:
        return ("minute", self.minute), ("hour", self.hour), ("day", self.day), *self.paths.items()

    def window(self, name: str) -> _Window:
        if name in ("minute", "hour", "day"):
            window: _Window = getattr(self, name)
            return window
        return self.path(name)

    def path(self, name: str) -> _Window:
        window = self.paths.get(name)
        if window is None:
            window = self.paths[name] = _Window(MINUTE)
        return window

    def hit(self, plan: Plan, path: str | None, now: float) -> Hit | None:
        """The first full window, in the order of decisions C."""
        if plan.second is not None and (wait := self._second(plan.second, now)) > 0:
            return Hit("second", plan.second, wait)
        if path is not None:
            window = self.path(path)
            window.roll(now)
            if window.count >= PATH_LIMITS[path]:
                return Hit(path, PATH_LIMITS[path], window.left(now))
        if self.minute.count >= plan.minute:
            return Hit("minute", plan.minute, self.minute.left(now))
        if plan.hour is not None and self.hour.count >= plan.hour:
            return Hit("hour", plan.hour, self.hour.left(now))
        if self.day.count >= plan.day:
            return Hit("day", plan.day, self.day.left(now))
        return None

    def _second(self, limit: int, now: float) -> float:
        """Seconds until fewer than `limit` requests lie within the last second; 0 if that is so."""
        recent = self.recent
        while recent and recent[0] <= now - 1:
            recent.popleft()
        return recent[-limit] + 1 - now if len(recent) >= limit else 0

    def add(self, plan: Plan, path: str | None, now: float) -> None:
        self.minute.count += 1
        self.hour.count += 1
        self.day.count += 1
        if path is not None:
            self.paths[path].count += 1
        if plan.second is not None:
            self.recent.append(now)


class LocalLimits:
    """Counters in this process, saved to the database by whoever calls `save` each second and at shutdown.

    Never more than the limit is admitted, also when the clock is set back by up to a day: time then stands
    still here until the clock has caught up. A clock set back by more was wrong before, and counting begins
    anew, so that a start before the network time is known cannot lock accounts out for years. What a killed
    process counted since its last save is forgotten.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest = 0.0
        self._accounts: dict[int, _Counters] = {}
        self._unsaved: set[int] = set()
        self._lock = threading.Lock()

    def take(self, account_id: int, plan: Plan, path_window: str | None) -> tuple[Used, Hit | None]:
        with self._lock:
            now = self._now()
            held = self._held(account_id, now)
            hit = held.hit(plan, path_window, now)
            if hit is None:
                held.add(plan, path_window, now)
                self._unsaved.add(account_id)
            return Used(held.minute.count, held.hour.count, held.day.count, now), hit

    def used(self, account_id: int) -> Used:
        with self._lock:
            now = self._now()
            held = self._held(account_id, now)
            return Used(held.minute.count, held.hour.count, held.day.count, now)

    def _held(self, account_id: int, now: float) -> _Counters:
        held = self._accounts.get(account_id)
        if held is None:
            held = self._accounts[account_id] = _Counters()
        held.roll(now)
        return held

    def _now(self) -> float:
        now = self._clock.seconds()
        if now < self._latest:
            if self._latest - now <= DAY:
                return self._latest
            self._accounts.clear()
        self._latest = now
        return now

    def unsaved(self) -> bool:
        """Whether `save` has anything to write."""
        return bool(self._unsaved)

    def save(self, session: Session) -> None:
        """Write the counters that changed since the last time, inside a write transaction. One statement."""
        with self._lock:
            accounts, self._unsaved = self._unsaved, set()
            rows = [
                (number, name, window.period * window.length, window.count)
                for number in accounts
                if number in self._accounts
                for name, window in self._accounts[number].windows()
            ]
        try:
            store.put_counters(session, rows)
        except BaseException:
            with self._lock:
                self._unsaved |= accounts
            raise

    def load(self, session: Session) -> None:
        """Take up the counters that an earlier process saved; for the start, before the first request."""
        now = self._clock.seconds()
        rows = [row for row in store.counters(session, now - DAY) if row[2] <= now + DAY]
        with self._lock:
            for number, name, start, count in rows:
                window = self._accounts.setdefault(number, _Counters()).window(name)
                window.period, window.count = start // window.length, count
                self._latest = max(self._latest, start)

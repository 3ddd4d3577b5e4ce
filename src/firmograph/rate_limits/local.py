"""Local rate limiter, with counters in process memory or shared by the processes of one `serve`."""

import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol

from firmograph.caller import Plan
from firmograph.database.connection import Session
from firmograph.kit.clock import Clock
from firmograph.rate_limits import store
from firmograph.rate_limits.windows import (
    DAY,
    PATH_LIMITS,
    WINDOWS,
    AccountCounters,
    AllowedRequests,
    LimitHit,
    WindowUsage,
)


class CounterStorage(Protocol):
    """Storage of the counters of all accounts, used by one thread of a process at a time."""

    def acquire(self, account_id: int) -> AccountCounters:
        """Return the account's counters, locked until `release`."""
        ...

    def release(self, account_id: int) -> None: ...
    def close(self) -> None: ...


class _ProcessMemory:
    """Counters in the memory of this process."""

    def __init__(self) -> None:
        self._accounts: dict[int, AccountCounters] = {}

    def acquire(self, account_id: int) -> AccountCounters:
        counters = self._accounts.get(account_id)
        if counters is None:
            counters = self._accounts[account_id] = AccountCounters()
        return counters

    def release(self, account_id: int) -> None:
        pass

    def close(self) -> None:
        pass


class AdmittedCalls(NamedTuple):
    """Calls of one account admitted here: name, start and count of its windows, times of the last second."""

    windows: list[tuple[str, int, int]]
    times: list[float]


class _DividedLimits(NamedTuple):
    """Share of each limit."""

    second: int | None
    minute: int
    hour: int | None
    day: int


def _divide(plan: Plan, share: int) -> _DividedLimits:
    """Return the limits of the plan divided by `share`, each at least 1."""
    second = plan.second and (plan.second // share or 1)
    hour = plan.hour and (plan.hour // share or 1)
    return _DividedLimits(second, plan.minute // share or 1, hour, plan.day // share or 1)


class LocalRateLimiter:
    """Rate limiter of this machine, saved to the database every second and at shutdown.

    It never admits more than the limit, even if the clock is set back by up to a day: its own time then stands still
    until the clock catches up. Counts of a killed process since its last save are lost, unless other processes share
    its storage. Each limit is divided by `share`.
    """

    save_seconds = 1.0

    def __init__(self, clock: Clock, storage: CounterStorage | None = None, share: int = 1) -> None:
        self._clock = clock
        self._storage = storage or _ProcessMemory()
        self._share = share
        self._unsaved: set[int] = set()
        self._lock = threading.Lock()

    def take(
        self, account_id: int, plan: Plan, path_window: str | None
    ) -> tuple[WindowUsage, LimitHit | None]:
        limits: AllowedRequests = plan if self._share == 1 else _divide(plan, self._share)
        path_limit = 0 if path_window is None else PATH_LIMITS[path_window] // self._share or 1
        with self._lock:
            counters = self._storage.acquire(account_id)
            try:
                now = counters.roll(self._clock.seconds())
                hit = counters.hit(limits, path_window, path_limit, now)
                if hit is None:
                    counters.add(limits, path_window, now)
                    self._unsaved.add(account_id)
                return counters.used(now), hit
            finally:
                self._storage.release(account_id)

    def used(self, account_id: int) -> WindowUsage:
        with self._lock:
            counters = self._storage.acquire(account_id)
            try:
                return counters.used(counters.roll(self._clock.seconds()))
            finally:
                self._storage.release(account_id)

    def unsaved(self) -> bool:
        return bool(self._unsaved)

    def save(self, session: Session) -> None:
        with self._lock:
            accounts, self._unsaved = self._unsaved, set()
            rows = [row for number in accounts for row in self._rows(number)]
        try:
            store.upsert_counters(session, rows)
        except BaseException:
            with self._lock:
                self._unsaved |= accounts
            raise

    def _rows(self, account_id: int) -> list[store.CounterRow]:
        counters = self._storage.acquire(account_id)
        try:
            return [(account_id, *window) for window in counters.windows()]
        finally:
            self._storage.release(account_id)

    def hand_over(self, give: Callable[[int, AdmittedCalls], None]) -> None:
        """Pass the counts of each account to `give` and reset them here.

        An exception of `give` ends the transfer; that account and the remaining ones keep their counts.
        """
        for account_id in list(self._unsaved):
            with self._lock:
                counters = self._storage.acquire(account_id)
                try:
                    now = counters.roll(self._clock.seconds())
                    windows = list(counters.windows())
                    if windows:
                        give(account_id, AdmittedCalls(windows, counters.times.within(now - 1)))
                        counters.clear()
                    self._unsaved.discard(account_id)
                finally:
                    self._storage.release(account_id)

    def start(self, session: Session) -> None:
        now = self._clock.seconds()
        rows = [row for row in store.select_counters(session, now - DAY) if row[2] <= now + DAY]
        with self._lock:
            for account_id, name, begun, count in rows:
                if name in WINDOWS:
                    self._storage.acquire(account_id).raise_to(name, begun, count)
                    self._storage.release(account_id)

    def stop(self) -> None:
        with self._lock:
            self._storage.close()

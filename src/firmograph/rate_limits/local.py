"""Limits counted on this machine: in the memory of one process, or shared by the processes of one `serve`."""

import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol

from firmograph.billing import request_store as store
from firmograph.billing.plans import Plan
from firmograph.database.connection import Session
from firmograph.kit.clock import Clock
from firmograph.rate_limits.windows import DAY, WINDOWS, Counters, Hit, Used


class Counts(Protocol):
    """Where the counters lie. Within one process, one thread at a time asks."""

    def acquire(self, account_id: int) -> Counters:
        """The account's counters, held by nobody else until `release`."""
        ...

    def release(self, account_id: int) -> None: ...
    def close(self) -> None: ...


class _InProcess:
    """Counters in the memory of this process."""

    def __init__(self) -> None:
        self._held: dict[int, Counters] = {}

    def acquire(self, account_id: int) -> Counters:
        held = self._held.get(account_id)
        if held is None:
            held = self._held[account_id] = Counters()
        return held

    def release(self, account_id: int) -> None:
        pass

    def close(self) -> None:
        pass


class Admitted(NamedTuple):
    """What one account was admitted here: name, start and count of its windows, times of the latest second."""

    windows: list[tuple[str, int, int]]
    times: list[float]


class LocalLimits:
    """Counters of this machine, saved to the database by whoever calls `save` each second and at shutdown.

    Never more than the limit is admitted, also when the clock is set back by up to a day: time then stands
    still here until the clock has caught up. What a killed process counted since its last save is forgotten,
    unless other processes share its `counts`.

    With a `share` above 1 only one part in so many of each limit is admitted here (decisions C, State).
    """

    save_seconds = 1.0

    def __init__(self, clock: Clock, counts: Counts | None = None, share: int = 1) -> None:
        self._clock = clock
        self._counts = counts or _InProcess()
        self._share = share
        self._unsaved: set[int] = set()
        self._lock = threading.Lock()

    def take(self, account_id: int, plan: Plan, path_window: str | None) -> tuple[Used, Hit | None]:
        with self._lock:
            held = self._counts.acquire(account_id)
            try:
                now = held.roll(self._clock.seconds())
                hit = held.hit(plan, path_window, now, self._share)
                if hit is None:
                    held.add(plan, path_window, now)
                    self._unsaved.add(account_id)
                return held.used(now), hit
            finally:
                self._counts.release(account_id)

    def used(self, account_id: int) -> Used:
        with self._lock:
            held = self._counts.acquire(account_id)
            try:
                return held.used(held.roll(self._clock.seconds()))
            finally:
                self._counts.release(account_id)

    def unsaved(self) -> bool:
        return bool(self._unsaved)

    def save(self, session: Session) -> None:
        with self._lock:
            accounts, self._unsaved = self._unsaved, set()
            rows = [row for number in accounts for row in self._rows(number)]
        try:
            store.put_counters(session, rows)
        except BaseException:
            with self._lock:
                self._unsaved |= accounts
            raise

    def _rows(self, account_id: int) -> list[store.CounterRow]:
        held = self._counts.acquire(account_id)
        try:
            return [(account_id, *window) for window in held.windows()]
        finally:
            self._counts.release(account_id)

    def hand_over(self, give: Callable[[int, Admitted], None]) -> None:
        """Give away what is counted of each account, which then has nothing counted here.

        What `give` raises ends it; that account and those after it keep their counts.
        """
        for account_id in list(self._unsaved):
            with self._lock:
                held = self._counts.acquire(account_id)
                try:
                    now = held.roll(self._clock.seconds())
                    windows = list(held.windows())
                    if windows:
                        give(account_id, Admitted(windows, held.times.within(now - 1)))
                        held.clear()
                    self._unsaved.discard(account_id)
                finally:
                    self._counts.release(account_id)

    def start(self, session: Session) -> None:
        now = self._clock.seconds()
        rows = [row for row in store.counters(session, now - DAY) if row[2] <= now + DAY]
        with self._lock:
            for account_id, name, begun, count in rows:
                if name in WINDOWS:
                    self._counts.acquire(account_id).raise_to(name, begun, count)
                    self._counts.release(account_id)

    def stop(self) -> None:
        with self._lock:
            self._counts.close()

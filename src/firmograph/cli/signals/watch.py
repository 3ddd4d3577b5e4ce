"""Polling of new signals, with waits for an unavailable database."""

import threading
from collections.abc import Callable, Collection, Iterator
from typing import Generic, TypeVar

from firmograph.database.connection import Database, Session
from firmograph.kit.clock import Clock, today
from firmograph.kit.errors import Busy, FirmographError, Unavailable
from firmograph.signals import store
from firmograph.signals.types import Signal

_POLL_SECONDS = 0.5
_BATCH = 500

T = TypeVar("T")
R = TypeVar("R")
Show = Callable[[Session, list[Signal]], list[T]]
"""Creates the views of some signals."""


class Watch(Generic[T]):
    """Reader of new signals in order of detection, each once.

    Signals of a future day appear on that day. Imports write signals in one transaction after another, so no later
    signal has a lower id.
    """

    def __init__(
        self,
        database: Database,
        show: Show[T],
        stopped: threading.Event,
        on_lost: Callable[[FirmographError | None], None],
        clock: Clock,
    ) -> None:
        """Create a watch; `on_lost` gets the error when the database is unavailable, and None when it is back."""
        self._database = database
        self._show = show
        self._stopped = stopped
        self._on_lost = on_lost
        self._clock = clock
        self._deferred: dict[int, str] = {}
        """Future days of signals that were already read, by id."""

    def newest_id(self) -> int | None:
        """Return the id of the newest signal; None when the watch is stopped."""
        return self._read_persistently(store.last_signal_id)

    def __call__(self, after: int | None, types: Collection[str]) -> Iterator[list[T]]:
        """Yield signals of these types after an id (0 for all), within a second of their commit, until stopped."""
        while after is not None:
            found = self._read_persistently(lambda session, after=after: self._next(session, after, types))  # type: ignore[misc]
            if found is None:
                return
            seen, views = found
            yield views
            if seen == after:
                self._stopped.wait(_POLL_SECONDS)
            after = seen

    def _next(self, session: Session, after: int, types: Collection[str]) -> tuple[int, list[T]]:
        found = store.signals_after(session, after, _BATCH)
        seen = found[-1].id if found else after
        now = today(self._clock).isoformat()
        matching = [signal for signal in found if signal.type in types]
        due = [id for id, day in self._deferred.items() if day <= now]
        deferred = store.signals_by_id(session, due) if due else {}
        views = self._show(
            session, [*deferred.values(), *(signal for signal in matching if signal.day <= now)]
        )
        # after reading, which may fail and be repeated
        for id in due:
            del self._deferred[id]
        self._deferred |= {signal.id: signal.day for signal in matching if signal.day > now}
        return seen, views

    def _read_persistently(self, read: Callable[[Session], R]) -> R | None:
        """Read, waiting for an unavailable database; return None when the watch is stopped."""
        lost = False
        while not self._stopped.is_set():
            try:
                with self._database.read() as session:
                    found = read(session)
            except (Busy, Unavailable) as why:
                if not lost:
                    self._on_lost(why)
                lost = True
                self._stopped.wait(_POLL_SECONDS)
            else:
                if lost:
                    self._on_lost(None)
                return found
        return None

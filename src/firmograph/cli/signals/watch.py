"""Signals as they are detected: asked for again and again, whatever happens to the database in between."""

import threading
from collections.abc import Callable, Collection, Iterator
from typing import Generic, TypeVar

from firmograph.database.connection import Database, Session
from firmograph.kit.clock import Clock, today
from firmograph.kit.errors import Busy, FirmographError, Unavailable
from firmograph.signals import store
from firmograph.signals.store import Signal

_AGAIN_SECONDS = 0.5
_SOME = 500

T = TypeVar("T")
R = TypeVar("R")
Show = Callable[[Session, list[Signal]], list[T]]
"""Makes what is printed of some signals."""


class Watch(Generic[T]):
    """Reads signals in the order of detection, each once, and those of a day to come when it begins.

    Imports write them one transaction after the other, so that none comes with a lower id than one that was seen.
    """

    def __init__(
        self,
        database: Database,
        show: Show[T],
        ended: threading.Event,
        on_lost: Callable[[FirmographError | None], None],
        clock: Clock,
    ) -> None:
        """`on_lost` is told why the database cannot be read, and with None that it can be again."""
        self._database = database
        self._show = show
        self._ended = ended
        self._on_lost = on_lost
        self._clock = clock
        self._coming: dict[int, str] = {}
        """The days of signals that were read before these had come, by their ids."""

    def now(self) -> int | None:
        """Behind which signal those stand that are detected from now on; None once the watch is ended."""
        return self._insist(store.last_signal_id)

    def __call__(self, after: int | None, types: Collection[str]) -> Iterator[list[T]]:
        """Until it is ended; signals of these types behind that one (0: all), within a second of their commit."""
        while after is not None:
            found = self._insist(lambda session, after=after: self._next(session, after, types))  # type: ignore[misc]
            if found is None:
                return
            seen, shown = found
            yield shown
            if seen == after:
                self._ended.wait(_AGAIN_SECONDS)
            after = seen

    def _next(self, session: Session, after: int, types: Collection[str]) -> tuple[int, list[T]]:
        found = store.signals_after(session, after, _SOME)
        seen = found[-1].id if found else after
        now = today(self._clock).isoformat()
        wanted = [signal for signal in found if signal.type in types]
        come = [id for id, day in self._coming.items() if day <= now]
        late = store.signals_by_id(session, come) if come else {}
        shown = self._show(session, [*late.values(), *(signal for signal in wanted if signal.day <= now)])
        # only now, as reading may fail and is done again then
        for id in come:
            del self._coming[id]
        self._coming |= {signal.id: signal.day for signal in wanted if signal.day > now}
        return seen, shown

    def _insist(self, read: Callable[[Session], R]) -> R | None:
        """What is read, however long the database is away; None once the watch is ended."""
        lost = False
        while not self._ended.is_set():
            try:
                with self._database.read() as session:
                    found = read(session)
            except (Busy, Unavailable) as why:
                if not lost:
                    self._on_lost(why)
                lost = True
                self._ended.wait(_AGAIN_SECONDS)
            else:
                if lost:
                    self._on_lost(None)
                return found
        return None

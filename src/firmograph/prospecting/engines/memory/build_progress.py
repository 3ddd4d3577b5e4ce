"""How far the making of an index is: for the log at its start, its end and each minute, and for who looks on."""

from collections.abc import Callable
from types import TracebackType
from typing import Final

import structlog

from firmograph.kit.clock import Clock
from firmograph.prospecting.engines.memory.checkpoints import Stopped
from firmograph.prospecting.indexing.active_engine import Index

log = structlog.get_logger("firmograph.search")

_EACH_SECONDS: Final = 60.0


class Making:
    """One making of the index, while in a `with` block. What few records take is not logged."""

    def __init__(self, index: Index, clock: Clock, few: int, is_stopping: Callable[[], bool]) -> None:
        self._index = index
        self._clock = clock
        self._few = few
        self._is_stopping = is_stopping
        self._began = self._logged = clock.seconds()
        self._total = 0

    def __enter__(self) -> "Making":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._index.making = None
        if kind is None and self._total > self._few:
            seconds = round(self._clock.seconds() - self._began, 1)
            log.info("the search index is made", records=self._total, seconds=seconds)

    def note(self, done: int, total: int) -> None:
        """Note how far it is. Raises Stopped when it should end."""
        if self._is_stopping():
            raise Stopped
        self._index.making = done, total
        first, self._total = self._total == 0, total
        now = self._clock.seconds()
        if total > self._few and (first or now >= self._logged + _EACH_SECONDS):
            self._logged = now
            log.info("the search index is being made from the records", done=done, records=total)

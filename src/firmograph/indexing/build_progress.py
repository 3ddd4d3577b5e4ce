"""Progress of an index build: logged at the start, every minute and at the end, and published for display."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Final

import structlog

from firmograph.indexing.active_index import ActiveIndex
from firmograph.indexing.checkpoints import StopRequested
from firmograph.kit.clock import Clock

log = structlog.get_logger("firmograph.indexing")

_LOG_SECONDS: Final = 60.0


class BuildProgress:
    """Context manager that tracks one build. Builds of a small index are not logged."""

    def __init__(
        self,
        name: str,
        index: ActiveIndex[Any],
        clock: Clock,
        small_index: int,
        is_stopping: Callable[[], bool],
    ) -> None:
        self._name = name
        self._index = index
        self._clock = clock
        self._small_index = small_index
        self._is_stopping = is_stopping
        self._started = self._logged = clock.seconds()
        self._total = 0

    def __enter__(self) -> "BuildProgress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._index.build_progress = self._index.seconds_left = None
        if kind is None and self._total > self._small_index:
            seconds = round(self._clock.seconds() - self._started, 1)
            log.info(f"{self._name} index built", records=self._total, seconds=seconds)

    def report(self, done: int, total: int) -> None:
        """Record the progress. Raises StopRequested if the build should end."""
        if self._is_stopping():
            raise StopRequested
        self._index.build_progress = done, total
        first, self._total = self._total == 0, total
        now = self._clock.seconds()
        if done:
            self._index.seconds_left = (now - self._started) * (total - done) / done
        if total > self._small_index and (first or now >= self._logged + _LOG_SECONDS):
            self._logged = now
            log.info(f"building the {self._name} index from the records", done=done, records=total)

"""Log of failures that repeat, such as those of a loop that retries."""

import time
from collections.abc import Callable

from structlog.typing import FilteringBoundLogger

from firmograph.kit.errors import Busy, DatabaseLost, Unavailable


class ErrorLog:
    """Log that reports a repeating failure once, and its recovery.

    `waiting` is the text of Busy and Unavailable, `failed` that of other errors. A part has recovered when it succeeds
    after `quiet_seconds` without a failure. Parts are distinguished by the fields of their log events. A lost database
    has a log of its own.
    """

    def __init__(
        self,
        log: FilteringBoundLogger,
        *,
        waiting: str,
        failed: str,
        recovered: str,
        quiet_seconds: float = 0.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log = log
        self._waiting = waiting
        self._failed = failed
        self._recovered = recovered
        self._quiet_seconds = quiet_seconds
        self._monotonic = monotonic
        self._failures: dict[tuple[str, ...], tuple[type[Exception], float]] = {}
        """Last failure of each part, with its time."""

    def failed(self, error: Exception, **part: str) -> None:
        """Log a part's failure unless its last one was of the same type."""
        if isinstance(error, DatabaseLost):
            return
        key = tuple(part.values())
        last = self._failures.get(key)
        self._failures[key] = type(error), self._monotonic()
        if last is not None and last[0] is type(error):
            return
        if isinstance(error, (Busy, Unavailable)):
            self._log.warning(self._waiting, reason=type(error).__name__)
        else:
            self._log.error(self._failed, **part, exc_info=error)

    def recovered(self, **part: str) -> None:
        """Note a success of a part; log its recovery once failures have stopped for `quiet_seconds`."""
        key = tuple(part.values())
        last = self._failures.get(key)
        if last is not None and self._monotonic() >= last[1] + self._quiet_seconds:
            self._failures.pop(key, None)
            self._log.info(self._recovered, **part)

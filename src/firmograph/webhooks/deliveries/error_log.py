"""What fails again and again is told once, and again when it is over."""

import time
from collections.abc import Callable
from typing import Final

import structlog

from firmograph.kit.errors import Busy, Unavailable

log = structlog.get_logger("firmograph.webhooks")

OVER_SECONDS: Final = 30.0
"""Without the trouble, after which it is over: some come and go many times a minute."""


class Troubles:
    """Of the parts of one worker, by their names."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._told: dict[str, tuple[type[Exception], float]] = {}

    def met(self, part: str, error: Exception) -> None:
        told = self._told.get(part)
        self._told[part] = type(error), self._monotonic()
        if told is not None and told[0] is type(error):
            return
        if isinstance(error, (Busy, Unavailable)):
            reason = type(error).__name__
            log.warning("webhooks wait for the database and will go on by themselves", reason=reason)
        else:
            log.error("a part of the work on webhooks fails; it is tried again", part=part, exc_info=error)

    def over(self, part: str) -> None:
        """That part went well."""
        told = self._told.get(part)
        if told is not None and self._monotonic() >= told[1] + OVER_SECONDS:
            self._told.pop(part, None)
            log.info("the work on webhooks goes on", part=part)

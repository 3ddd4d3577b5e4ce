"""What fails again and again is told once, and again when it is over."""

import structlog

from firmograph.kit.errors import Busy, Unavailable

log = structlog.get_logger("firmograph.webhooks")


class Troubles:
    """Of the parts of one worker, by their names."""

    def __init__(self) -> None:
        self._told: dict[str, type[Exception]] = {}

    def met(self, part: str, error: Exception) -> None:
        if self._told.get(part) is type(error):
            return
        self._told[part] = type(error)
        if isinstance(error, (Busy, Unavailable)):
            reason = type(error).__name__
            log.warning("webhooks wait for the database and will go on by themselves", reason=reason)
        else:
            log.error("a part of the work on webhooks fails; it is tried again", part=part, exc_info=error)

    def over(self, part: str) -> None:
        if self._told.pop(part, None):
            log.info("the work on webhooks goes on", part=part)

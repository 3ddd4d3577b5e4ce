"""Retry policy of claimed work (docs/reference/webhooks.md#retries)."""

from random import Random
from typing import Final

from firmograph.kit.errors import Refused

MAX_RETRY_AFTER: Final = 900.0
"""Seconds; upper bound on a delay that the other side requests, such as by `Retry-After`."""

_JITTER: Final = 0.25
"""Share of a delay that may be added, so that attempts that failed together spread out."""

_MAX_RETRIES: Final = 20
_MAX_SECONDS: Final = 86_400.0


class RetryPolicy:
    """Delays before each retry."""

    def __init__(self, delays: tuple[float, ...], random: Random) -> None:
        self._delays = delays
        self._random = random

    def delay(self, failed_before: int, requested: float | None = None) -> float | None:
        """Return the seconds until the next attempt after one more failure; None if there is none."""
        if failed_before >= len(self._delays):
            return None
        delay = self._delays[failed_before] * (1 + _JITTER * self._random.random())
        return max(delay, min(requested or 0.0, MAX_RETRY_AFTER))


def parse_retry_policy(text: str, setting: str, random: Random | None = None) -> RetryPolicy:
    """Parse the value of a setting, numbers of seconds joined by commas. Raises Refused."""
    try:
        delays = tuple(float(part) for part in text.split(",")) if text.strip() else ()
    except ValueError:
        delays = (-1.0,)
    if len(delays) > _MAX_RETRIES or not all(0 <= delay <= _MAX_SECONDS for delay in delays):
        raise Refused(
            f"{setting}: must be up to {_MAX_RETRIES} comma-separated numbers of seconds"
            f" from 0 to {_MAX_SECONDS:.0f}"
        )
    return RetryPolicy(delays, random or Random())

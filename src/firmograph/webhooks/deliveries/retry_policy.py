"""Retry policy of deliveries (docs/reference/webhooks.md#retries)."""

from random import Random
from typing import Final

from firmograph.kit.errors import Refused
from firmograph.webhooks.types import SendResult

MAX_RETRY_AFTER: Final = 900.0
"""Seconds; upper bound on the `Retry-After` of a receiver."""

_JITTER: Final = 0.25
"""Share of a delay that may be added, so that deliveries that failed together spread out."""

_MAX_RETRIES: Final = 20
_MAX_SECONDS: Final = 86_400.0


class RetryPolicy:
    """Delays before each retry."""

    def __init__(self, delays: tuple[float, ...], random: Random) -> None:
        self._delays = delays
        self._random = random

    def delay(self, failed_before: int, sent: SendResult) -> float | None:
        """Return the seconds until the next attempt after one more failure; None if there is none."""
        if failed_before >= len(self._delays):
            return None
        delay = self._delays[failed_before] * (1 + _JITTER * self._random.random())
        return max(delay, min(sent.retry_after or 0.0, MAX_RETRY_AFTER))


def parse_retry_policy(text: str, random: Random | None = None) -> RetryPolicy:
    """Parse the setting `webhook_retry_seconds`, numbers joined by commas. Raises Refused."""
    try:
        delays = tuple(float(part) for part in text.split(",")) if text.strip() else ()
    except ValueError:
        delays = (-1.0,)
    if len(delays) > _MAX_RETRIES or not all(0 <= delay <= _MAX_SECONDS for delay in delays):
        raise Refused(
            f"FIRMOGRAPH_WEBHOOK_RETRY_SECONDS: must be up to {_MAX_RETRIES} comma-separated numbers of seconds"
            f" from 0 to {_MAX_SECONDS:.0f}"
        )
    return RetryPolicy(delays, random or Random())

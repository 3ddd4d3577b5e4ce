"""When a delivery that failed is sent again (wire-b 8.4, decisions G, Order and retries)."""

from random import Random
from typing import Final

from firmograph.kit.errors import Refused
from firmograph.webhooks.types import Sent

MOST_ASKED: Final = 900.0
"""Seconds: however long a receiver asks to be left alone (`Retry-After`), this is what it gets."""

_JITTER: Final = 0.25
"""At most this share of a delay is added, so that what failed together does not come back together."""

_MOST_RETRIES: Final = 20
_MOST_SECONDS: Final = 86_400.0


class Retries:
    """How long to wait before each retry."""

    def __init__(self, delays: tuple[float, ...], random: Random) -> None:
        self._delays = delays
        self._random = random

    def delay(self, failed_before: int, sent: Sent) -> float | None:
        """Seconds until the next attempt after one more that failed; None when there is to be none."""
        if failed_before >= len(self._delays):
            return None
        delay = self._delays[failed_before] * (1 + _JITTER * self._random.random())
        return max(delay, min(sent.retry_after or 0.0, MOST_ASKED))


def read_retries(text: str, random: Random | None = None) -> Retries:
    """Of the setting `webhook_retry_seconds`, numbers joined by commas. Raises Refused saying what it must be."""
    try:
        delays = tuple(float(part) for part in text.split(",")) if text.strip() else ()
    except ValueError:
        delays = (-1.0,)
    if len(delays) > _MOST_RETRIES or not all(0 <= delay <= _MOST_SECONDS for delay in delays):
        raise Refused(
            f"FIRMOGRAPH_WEBHOOK_RETRY_SECONDS: must be up to {_MOST_RETRIES} numbers of seconds from 0 to"
            f" {_MOST_SECONDS:.0f}, joined by commas"
        )
    return Retries(delays, random or Random())

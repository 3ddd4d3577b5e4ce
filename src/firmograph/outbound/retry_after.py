"""`Retry-After` of an answer (RFC 9110, 10.2.3)."""

import email.utils
from datetime import UTC
from typing import Final

_LONGEST_WAIT: Final = 1e9
"""Seconds; a longer `Retry-After` is treated as this."""


def retry_after(field: str, now: float) -> float | None:
    """Parse a number or date to seconds from now; None if it is neither."""
    if field.isascii() and field.isdecimal():
        return min(float(field), _LONGEST_WAIT)
    try:
        until = email.utils.parsedate_to_datetime(field)
        return max(0.0, (until if until.tzinfo else until.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, OverflowError):
        return None

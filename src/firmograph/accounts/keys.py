"""Keys: 256 random bits, shown once, stored as SHA-256.

A slow or salted hash protects secrets chosen by people, because it makes each guess expensive. Nobody can guess 256
random bits at any speed, and no two holders share a key, so plain SHA-256 is as safe; unsalted, it can be looked up by
index in one statement per request.
"""

import hashlib
import secrets
from datetime import UTC, date, datetime, timedelta
from typing import Final

from firmograph.kit.errors import Refused

_MARK: Final = "fg_"
_VISIBLE: Final = 8
"""Characters after the mark that are shown and identify a key; the other 208 bits stay secret."""


def new_key(mark: str = _MARK) -> str:
    """Return a new key; its mark, which ends with an underscore, shows its kind."""
    return mark + secrets.token_urlsafe(32)


def hash_key(api_key: str) -> bytes:
    # A header may contain bytes that are not UTF-8; they must yield an unknown key, not an encoding error.
    return hashlib.sha256(api_key.encode("utf-8", "surrogatepass")).digest()


def visible_prefix(key: str) -> str:
    return key[: key.index("_") + 1 + _VISIBLE]


def read_expiry(text: str) -> float:
    """Return the time of a day, which ends with it in UTC, or of an ISO time, without an offset in UTC.

    Raises Refused.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(
            f"{text!r} is neither a day nor a time; write it as 2027-01-31 or 2027-01-31T18:00:00Z"
        ) from None
    try:
        if _is_day(text):
            at += timedelta(days=1)
        return (at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except OverflowError:
        raise Refused(
            f"{text!r} ends outside of the years 1 to 9999 in UTC; the last end is 9999-12-31T23:59:59Z"
        ) from None


def _is_day(text: str) -> bool:
    """Return whether an ISO text has no time, in whatever form, such as `20270131`."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True

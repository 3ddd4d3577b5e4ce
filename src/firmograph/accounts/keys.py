"""API keys: 256 random bits, shown once, stored as SHA-256.

A slow or salted hash protects secrets chosen by people, because it makes each guess expensive. Nobody can guess 256
random bits at any speed, and no two accounts share a key, so plain SHA-256 is as safe; unsalted, it can be looked up by
index in one statement per request.
"""

import hashlib
import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final

from firmograph.kit.errors import Refused

_MARK = "fg_"
PREFIX_LENGTH = len(_MARK) + 8
"""Length of the visible part of a key, which identifies it; the other 208 bits stay secret."""


_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)


def new_api_key() -> str:
    return _MARK + secrets.token_urlsafe(32)


def hash_key(api_key: str) -> bytes:
    # A header may contain bytes that are not UTF-8; they must yield an unknown key, not an encoding error.
    return hashlib.sha256(api_key.encode("utf-8", "surrogatepass")).digest()


def visible_prefix(api_key: str) -> str:
    return api_key[:PREFIX_LENGTH]


def read_expiry(text: str) -> float:
    """Return the time of a day, which ends with it in UTC, or of an ISO time, without an offset in UTC.

    Raises Refused.
    """
    try:
        at = datetime.fromisoformat(text)
        if _DAY.match(text):
            at += timedelta(days=1)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise Refused(
            f"{text!r} is neither a day nor a time; write it as 2027-01-31 or 2027-01-31T18:00:00Z"
        ) from None

"""What a receiver checks of a delivery: both signatures over its very bytes, and the time.

See docs/reference/webhooks.md#signatures.
"""

import hmac
from collections.abc import Mapping
from typing import Final, NamedTuple

from firmograph.webhooks.sending import signing

OLDEST_SECONDS: Final = 300
"""About five minutes are recommended."""


class Verified(NamedTuple):
    """What became of the check."""

    genuine: bool | None
    """None where there is no secret to check by."""
    problem: str | None = None
    """What is wrong, and what may be the reason."""


class Verifier:
    """Checks deliveries of one brand under one secret, or says that it cannot."""

    def __init__(self, brand: str, secret: str | None) -> None:
        self._signature = f"x-{brand}-signature".lower()
        self._timestamp = f"x-{brand}-timestamp".lower()
        self._secret = secret

    def __call__(self, headers: Mapping[str, str], body: bytes, now: float) -> Verified:
        """The names of headers are in lower case."""
        if self._secret is None:
            return Verified(None)
        problem = (
            self._missing(headers)
            or _untimely(headers[self._timestamp], headers["webhook-timestamp"], now)
            or self._forged(headers, body, self._secret)
        )
        return Verified(problem is None, problem)

    def _missing(self, headers: Mapping[str, str]) -> str | None:
        names = (
            self._signature,
            self._timestamp,
            "webhook-id",
            "webhook-timestamp",
            "webhook-signature",
        )
        missing = [name for name in names if not headers.get(name)]
        if not missing:
            return None
        other = any(name.endswith("-signature") and name.startswith("x-") for name in headers)
        hint = "; --brand must be the server's FIRMOGRAPH_BRAND" if other else ""
        return f"without {', '.join(missing)}{hint}"

    def _forged(self, headers: Mapping[str, str], body: bytes, secret: str) -> str | None:
        seconds = int(headers[self._timestamp])
        expected = {
            self._signature: signing.signature(secret, seconds, body),
            "webhook-signature": signing.standard_signature(secret, headers["webhook-id"], seconds, body),
        }
        wrong = [
            name
            for name, value in expected.items()
            if not hmac.compare_digest(value.encode(), headers[name].encode())
        ]
        if not wrong:
            return None
        return f"{' and '.join(wrong)} not made with this secret; GET /api/account/secret shows the right one"


def _untimely(one: str, other: str, now: float) -> str | None:
    if not (one.isascii() and one.isdecimal() and len(one) <= 12):
        return "the timestamp is no number of seconds"
    if one != other:
        return "the two timestamps differ"
    away = abs(now - int(one))
    return f"the timestamp is {away:.0f} seconds away from the clock here" if away > OLDEST_SECONDS else None

"""Verification of a delivery's signatures and timestamp (docs/reference/webhooks.md#signatures)."""

import hmac
from collections.abc import Mapping
from typing import Final, NamedTuple

from firmograph.webhooks.sending import signing

MAX_AGE_SECONDS: Final = 300
"""Recommended maximum age: about five minutes."""


class Verification(NamedTuple):
    """Result of the verification."""

    genuine: bool | None
    """None without a secret."""
    problem: str | None = None
    """Fault, with its likely reason."""


class Verifier:
    """Verifier of deliveries of one brand under one secret."""

    def __init__(self, brand: str, secret: str | None) -> None:
        self._signature = f"x-{brand}-signature".lower()
        self._timestamp = f"x-{brand}-timestamp".lower()
        self._secret = secret

    def __call__(self, headers: Mapping[str, str], body: bytes, now: float) -> Verification:
        """Verify a delivery; header names are lower-case."""
        if self._secret is None:
            return Verification(None)
        problem = (
            self._check_headers(headers)
            or _check_time(headers[self._timestamp], headers["webhook-timestamp"], now)
            or self._check_signatures(headers, body, self._secret)
        )
        return Verification(problem is None, problem)

    def _check_headers(self, headers: Mapping[str, str]) -> str | None:
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
        return f"missing {', '.join(missing)}{hint}"

    def _check_signatures(self, headers: Mapping[str, str], body: bytes, secret: str) -> str | None:
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
        return (
            f"{' and '.join(wrong)} not made with this secret; GET /api/account/secret returns the right one"
        )


def _check_time(one: str, other: str, now: float) -> str | None:
    if not (one.isascii() and one.isdecimal() and len(one) <= 12):
        return "the timestamp is not a number of seconds"
    if one != other:
        return "the two timestamps differ"
    offset = abs(now - int(one))
    return f"the timestamp is {offset:.0f} seconds off the local clock" if offset > MAX_AGE_SECONDS else None

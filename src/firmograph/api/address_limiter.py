"""Limit of requests to public endpoints by the address of the client."""

from collections import Counter
from ipaddress import ip_address
from typing import Final

from firmograph.api.trusted_proxies import subscriber_network
from firmograph.kit.errors import TooManyRequests

_MINUTE: Final = 60
_MAX_ADDRESSES: Final = 65_536
"""Counters of one minute; further addresses share one counter for each endpoint."""


class AddressLimiter:
    """Counters of one process: requests by endpoint and client in the current minute, aligned to UTC."""

    def __init__(self) -> None:
        self._minute = -1
        self._counts: Counter[tuple[str, bytes]] = Counter()

    def take(self, endpoint: str, address: str | None, limit: int, now: float) -> None:
        """Count one request to an endpoint. Raises TooManyRequests, without counting it, if its limit is reached.

        The addresses of an IPv6 /64 count as one client, and so do all unknown addresses.
        """
        minute = int(now // _MINUTE)
        if minute != self._minute:
            self._minute = minute
            self._counts.clear()
        client = endpoint, subscriber_network(ip_address(address)) if address is not None else b""
        if client not in self._counts and len(self._counts) >= _MAX_ADDRESSES:
            client = endpoint, b""
        if self._counts[client] >= limit:
            raise _refusal(limit, (minute + 1) * _MINUTE - now)
        self._counts[client] += 1


def _refusal(limit: int, seconds: float) -> TooManyRequests:
    rest = TooManyRequests(retry_after=seconds).retry_after
    unit = "second" if rest == 1 else "seconds"
    return TooManyRequests(
        f"Too many requests: at most {limit} a minute from one address; resets in {rest} {unit}",
        retry_after=seconds,
    )

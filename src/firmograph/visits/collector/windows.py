"""Limits of the page views that this process takes: by address and site, and by site (ruling J 15)."""

from collections import Counter
from ipaddress import ip_address
from typing import Final, Literal

_MINUTE: Final = 60
_OF_ADDRESS: Final = 60
"""Page views a minute from an address to a site; as many messages on top may give the time of page views."""
_OF_SITE: Final = 600
"""Page views a second of a site; as many messages on top may give the time of page views."""
_MOST_ADDRESSES: Final = 65_536
"""Counters of one minute; further addresses share one counter for each site."""
_IPV6_CLIENT_BYTES: Final = 8
"""Bytes of the IPv6 network that counts as one client."""

ReachedLimit = Literal["address", "site", "memory"]


class PageViewLimits:
    """Counters of the current minute and second, by the time of arrival; addresses are in memory only."""

    def __init__(self) -> None:
        self._minute = self._second = 0
        self._addresses: Counter[tuple[str, bool, bytes]] = Counter()
        self._sites: Counter[tuple[str, bool]] = Counter()

    def take(
        self, domain: str, address: str | None, arrived_at: float, *, is_first: bool
    ) -> ReachedLimit | None:
        """Count a message to a site; return the limit that leaves it out, and then do not count it."""
        self._roll(int(arrived_at))
        site = domain, is_first
        client = domain, is_first, _network(address)
        if client not in self._addresses and len(self._addresses) >= _MOST_ADDRESSES:
            client = domain, is_first, b""
        if self._addresses[client] >= _OF_ADDRESS:
            return "address"
        if self._sites[site] >= _OF_SITE:
            return "site"
        self._addresses[client] += 1
        self._sites[site] += 1
        return None

    def _roll(self, second: int) -> None:
        if second != self._second:
            self._second = second
            self._sites.clear()
        if second // _MINUTE != self._minute:
            self._minute = second // _MINUTE
            self._addresses.clear()


def _network(address: str | None) -> bytes:
    """Return the network that counts as one client: an IPv4 address, or the /64 of an IPv6 address."""
    if address is None:
        return b""
    packed = ip_address(address).packed
    return packed if len(packed) == 4 else packed[:_IPV6_CLIENT_BYTES]

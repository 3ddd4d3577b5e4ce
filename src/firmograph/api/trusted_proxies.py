"""Trusted proxies, and the client's address behind them.

Each proxy appends the address of its own client to `X-Forwarded-For` (or, without one, to `Forwarded`, RFC 7239), so
the values from the right up to the first address that no trusted proxy holds come from trusted proxies. The values to
the left of it may come from anybody.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Final, NamedTuple

from firmograph.outbound.address_guard import Address, Network, parse_networks

_CACHED_PEERS: Final = 4096
"""Size of the cache of classified addresses."""

_IPV6_NETWORK_BYTES: Final = 8
"""Minimum IPv6 network of one subscriber: a /64."""

_WITH_PORT = re.compile(r"\[(?P<six>[^\]]*)\](?::\d+)?|(?P<four>[^:]*):\d+")


class Peer(NamedTuple):
    """Address with its rights: `trusted` as a proxy, `local` to this machine."""

    address: str | None
    """IPv4-mapped IPv6 as IPv4; None for a malformed address, which has no rights."""
    trusted: bool
    local: bool


class TrustedProxies:
    """Networks of proxies whose forwarding headers are believed; this machine is always one of them."""

    def __init__(self, networks: Sequence[Network] = ()) -> None:
        self._networks = tuple(networks)
        # parsing an address is the slowest step here, and the same few peers call again and again
        self.classify = lru_cache(_CACHED_PEERS)(self._classify)

    def trusts(self, host: str) -> bool:
        """Return whether a peer is this machine or a trusted proxy."""
        return self.classify(host).trusted

    def client(self, scope: Any) -> Peer:
        """Return the client: the holder of the rightmost address that no trusted proxy holds.

        It is the leftmost one if trusted proxies hold all addresses, and the peer if the peer is not trusted or
        forwards nothing. Its address is None if a trusted proxy forwards anything but an address.
        """
        client = scope.get("client")
        peer = self.classify(client[0] if client else "")
        names = _forwarded_names(scope["headers"]) if peer.trusted else ()
        for name in names:
            peer = self.classify(name)
            if not peer.trusted:
                break
        return peer

    def _classify(self, host: str) -> Peer:
        address = _parse_address(host)
        if address is None:
            return Peer(None, trusted=False, local=False)
        local = address.is_loopback
        trusted = local or any(address in network for network in self._networks)
        return Peer(str(address), trusted, local)


def trusted_networks(setting: str) -> list[Network]:
    """Parse the networks of `trusted_proxies`, IPv4-mapped IPv6 as IPv4. Raises Refused for a malformed one."""
    return [_unmap(network) for network in parse_networks("FIRMOGRAPH_TRUSTED_PROXIES", setting)]


def is_loopback(client: Sequence[Any] | None) -> bool:
    """Return whether the peer of an ASGI scope is this machine."""
    address = _parse_address(client[0]) if client else None
    return address is not None and address.is_loopback


def subscriber_network(address: Address) -> bytes:
    """Return the network that counts as one client: an IPv4 address, or the /64 of an IPv6 address."""
    if not isinstance(address, IPv6Address):
        return address.packed
    return address.ipv4_mapped.packed if address.ipv4_mapped else address.packed[:_IPV6_NETWORK_BYTES]


def forwarded_parameter(value: bytes, name: str) -> str:
    """Return a parameter of the last element of `Forwarded`; empty if it is missing, repeated or malformed."""
    return next(_forwarded_parameters(value, name))


def _forwarded_names(headers: Sequence[tuple[bytes, bytes]]) -> Iterator[str]:
    """Yield the forwarded addresses from right to left, without ports; empty texts for missing ones."""
    values = [value for name, value in headers if name == b"x-forwarded-for"]
    if values:
        names = iter(b",".join(values).decode("latin-1").split(",")[::-1])
    else:
        values = [value for name, value in headers if name == b"forwarded"]
        names = _forwarded_parameters(b",".join(values), "for") if values else iter(())
    for name in map(str.strip, names):
        ported = _WITH_PORT.fullmatch(name)
        yield (ported["six"] or ported["four"]) if ported else name


def _forwarded_parameters(value: bytes, name: str) -> Iterator[str]:
    """Yield a parameter of each element of `Forwarded` from right to left; empty as in `forwarded_parameter`."""
    text = value.decode("latin-1")
    # an unbalanced quote sent by the client would extend into the proxy's own element
    if text.count('"') % 2 or "\\" in text:
        yield ""
        return
    quoted = re.sub(r'"[^"]*"', lambda found: found[0].replace(",", " ").replace(";", " "), text)
    for element in reversed(quoted.split(",")):
        pairs = [pair.strip().partition("=") for pair in element.split(";")]
        found = [given.strip('"') for key, _, given in pairs if key.lower() == name]
        yield found[0] if len(found) == 1 else ""


def _unmap(network: Network) -> Network:
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    return ip_network((mapped, network.prefixlen - 96)) if mapped and network.prefixlen >= 96 else network


def _parse_address(text: str) -> Address | None:
    """Parse an address, IPv4-mapped IPv6 as IPv4; return None if it is malformed."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address

"""HTTPS policy of requests, as set by `require_https`.

Plain HTTP is accepted on loopback only, unless a trusted proxy reports that its client used TLS. Only the last value
of `X-Forwarded-Proto` (or, without one, of `Forwarded`, RFC 7239) counts: the nearest proxy wrote it, while the values
before it may come from anybody.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Any, Final

from firmograph.api.request import RequestHeaders
from firmograph.kit.errors import Forbidden
from firmograph.outbound.address_guard import Address, Network, parse_networks
from firmograph.settings import Settings

_CACHED_PEERS: Final = 4096
"""Size of the cache of classified peers."""


class PlainHttp(Forbidden):
    public = "Plain HTTP is refused; use https://"


class HttpsPolicy:
    """Policy that refuses unencrypted requests.

    `trusted` are the networks of proxies whose forwarding headers are believed.
    """

    def __init__(self, *, required: bool, trusted: Sequence[Network] = ()) -> None:
        self._required = required
        self._trusted = tuple(trusted)
        # parsing an address is the slowest step here, and the same few peers call again and again
        self._classify_peer = lru_cache(_CACHED_PEERS)(self._classify)

    def check(self, scope: Any, headers: RequestHeaders) -> None:
        """Raise PlainHttp unless the request was encrypted on its way from the client or never left this machine.

        The report of a trusted proxy that its client used plain HTTP outweighs an encrypted connection to the proxy.
        """
        if not self._required:
            return
        client = scope.get("client")
        trusted, local = self._classify_peer(client[0] if client else "")
        safe = local or scope["scheme"] == "https"
        if trusted and (headers.forwarded_proto is not None or headers.forwarded is not None):
            protocol = _forwarded_protocol(headers)
            if protocol:
                safe = protocol == "https" or (local and _is_loopback(_forwarded_client(headers)))
        if not safe:
            raise PlainHttp

    def trusts(self, host: str) -> bool:
        """Return whether a peer is this machine or a trusted proxy."""
        return self._classify_peer(host)[0]

    def _classify(self, host: str) -> tuple[bool, bool]:
        """Return whether a peer is trusted as a proxy, and whether it is this machine."""
        address = _parse_address(host)
        if address is None:
            return False, False
        local = address.is_loopback
        return local or any(address in network for network in self._trusted), local


NO_POLICY = HttpsPolicy(required=False)
"""Policy that accepts every request."""


def make_https_policy(settings: Settings) -> HttpsPolicy:
    """Return the configured policy. Raises Refused for a malformed `trusted_proxies`."""
    return HttpsPolicy(required=settings.require_https, trusted=trusted_networks(settings.trusted_proxies))


def is_loopback(client: Sequence[Any] | None) -> bool:
    """Return whether the peer of an ASGI scope is this machine."""
    return _is_loopback(_parse_address(client[0]) if client else None)


def trusted_networks(setting: str) -> list[Network]:
    """Parse the networks of `trusted_proxies`, IPv4-mapped IPv6 as IPv4. Raises Refused for a malformed one."""
    return [_unmap(network) for network in parse_networks("FIRMOGRAPH_TRUSTED_PROXIES", setting)]


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


def _is_loopback(address: Address | None) -> bool:
    return address is not None and address.is_loopback


_WITH_PORT = re.compile(r"\[(?P<six>[^\]]*)\](?::\d+)?|(?P<four>[^:]*):\d+")


def _forwarded_protocol(headers: RequestHeaders) -> str:
    """Return the client's protocol as the nearest proxy reports it, in lower case; empty if it reports none."""
    if headers.forwarded_proto is not None:
        return _last_value(headers.forwarded_proto).lower()
    return _forwarded_parameter(headers.forwarded or b"", "proto").lower()


def _forwarded_client(headers: RequestHeaders) -> Address | None:
    """Return the client's address as the nearest proxy reports it."""
    if headers.forwarded_for is not None:
        name = _last_value(headers.forwarded_for)
    elif headers.forwarded is not None:
        name = _forwarded_parameter(headers.forwarded, "for")
    else:
        return None
    ported = _WITH_PORT.fullmatch(name)
    return _parse_address((ported["six"] or ported["four"]) if ported else name)


def _last_value(value: bytes) -> str:
    return value.decode("latin-1").rpartition(",")[2].strip()


def _forwarded_parameter(value: bytes, name: str) -> str:
    """Return a parameter of the last element of `Forwarded`; empty if it is missing, repeated or malformed."""
    text = value.decode("latin-1")
    # an unbalanced quote sent by the client would extend into the proxy's own element
    if text.count('"') % 2 or "\\" in text:
        return ""
    quoted = re.sub(r'"[^"]*"', lambda found: found[0].replace(",", " ").replace(";", " "), text)
    pairs = [pair.strip().partition("=") for pair in quoted.rpartition(",")[2].split(";")]
    found = [given.strip('"') for key, _, given in pairs if key.lower() == name]
    return found[0] if len(found) == 1 else ""

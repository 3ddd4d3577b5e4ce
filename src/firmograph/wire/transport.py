"""Whether a request came by a way on which a key may be sent: the rule of `require_https`.

Plain HTTP is answered on loopback only, unless a trusted proxy vouches that its client spoke TLS. What a proxy says
is believed of the proxy alone: of `X-Forwarded-Proto` (or, without one, of `Forwarded`, RFC 7239) the last value
counts, as that is the one which the proxy nearest to us wrote; what stands before it anybody may have sent.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final

from firmograph.kit.errors import Forbidden, Refused
from firmograph.settings import Settings
from firmograph.wire.incoming import Fields

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_PEERS: Final = 4096
"""Peers whose kind is remembered."""


class PlainHttp(Forbidden):
    public = "Plain HTTP is refused; use https://"


class Transport:
    """Refuses what came in clear. `trusted` are the networks whose proxies are believed."""

    def __init__(self, *, required: bool, trusted: Sequence[Network] = ()) -> None:
        self._required = required
        self._trusted = tuple(trusted)
        # judging an address takes longer than all else here, and the same few peers call again and again
        self._kind = lru_cache(_PEERS)(self._judge)

    def check(self, scope: Any, fields: Fields) -> None:
        """Raises PlainHttp unless the connection, or the proxy on it, keeps what is said between client and service.

        A proxy that says its client spoke plain HTTP is believed even where the connection itself would do.
        """
        if not self._required:
            return
        client = scope.get("client")
        believed, local = self._kind(client[0] if client else "")
        safe = local or scope["scheme"] == "https"
        if believed and (fields.forwarded_proto is not None or fields.forwarded is not None):
            said = _protocol(fields)
            if said:
                safe = said == "https" or (local and _is_loopback(_client(fields)))
        if not safe:
            raise PlainHttp

    def trusts(self, host: str) -> bool:
        """Whether a peer is this machine itself or a trusted proxy."""
        return self._kind(host)[0]

    def _judge(self, host: str) -> tuple[bool, bool]:
        """Whether a peer is believed as a proxy, and whether it is this machine itself."""
        address = _address(host)
        if address is None:
            return False, False
        local = address.is_loopback
        return local or any(address in network for network in self._trusted), local


ANY = Transport(required=False)
"""Answers everything."""


def transport(settings: Settings) -> Transport:
    """As it is set. Raises Refused when `trusted_proxies` cannot be read."""
    return Transport(required=settings.require_https, trusted=trusted_networks(settings.trusted_proxies))


def is_loopback(client: Sequence[Any] | None) -> bool:
    """Whether the peer of an ASGI scope is this machine itself."""
    return _is_loopback(_address(client[0]) if client else None)


def trusted_networks(setting: str) -> list[Network]:
    """The addresses and networks of `trusted_proxies`. Raises Refused naming the one that is neither."""
    return [_network(name) for part in setting.split(",") if (name := part.strip())]


def _network(name: str) -> Network:
    try:
        network = ip_network(name)
    except ValueError as error:
        raise Refused(
            f"FIRMOGRAPH_TRUSTED_PROXIES: {name} is no address or network; write 10.0.0.5 or 10.0.0.0/8,"
            " several separated by commas"
        ) from error
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    return ip_network((mapped, network.prefixlen - 96)) if mapped and network.prefixlen >= 96 else network


def _address(text: str) -> Address | None:
    """An address as peers and proxies write it; one of IPv4 within IPv6 is that of IPv4. None for all else."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_loopback(address: Address | None) -> bool:
    return address is not None and address.is_loopback


_WITH_PORT = re.compile(r"\[(?P<six>[^\]]*)\](?::\d+)?|(?P<four>[^:]*):\d+")


def _protocol(fields: Fields) -> str:
    """What the nearest proxy says that its client spoke, in lower case; empty when it says nothing."""
    if fields.forwarded_proto is not None:
        return _last(fields.forwarded_proto).lower()
    return _forwarded(fields.forwarded or b"", "proto").lower()


def _client(fields: Fields) -> Address | None:
    """Who the nearest proxy says that its client is."""
    if fields.forwarded_for is not None:
        name = _last(fields.forwarded_for)
    elif fields.forwarded is not None:
        name = _forwarded(fields.forwarded, "for")
    else:
        return None
    ported = _WITH_PORT.fullmatch(name)
    return _address((ported["six"] or ported["four"]) if ported else name)


def _last(value: bytes) -> str:
    return value.decode("latin-1").rpartition(",")[2].strip()


def _forwarded(value: bytes, name: str) -> str:
    """A parameter of the last element of `Forwarded`; empty when it is not there once, or the field is unsound."""
    text = value.decode("latin-1")
    # quotes that a client left open would reach into what the proxy wrote
    if text.count('"') % 2 or "\\" in text:
        return ""
    quoted = re.sub(r'"[^"]*"', lambda found: found[0].replace(",", " ").replace(";", " "), text)
    pairs = [pair.strip().partition("=") for pair in quoted.rpartition(",")[2].split(";")]
    found = [given.strip('"') for key, _, given in pairs if key.lower() == name]
    return found[0] if len(found) == 1 else ""

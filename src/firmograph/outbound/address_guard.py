"""Address check for requests to URLs chosen by customers.

The tables come from IANA's special-purpose registries of IPv4 and IPv6 (2025-10), the multicast registries and the IPv6
address space registry: no address in them is a receiver on the public Internet, whether or not it is routed. Python's
`is_global` is not used because it differs between releases. An IPv4 address embedded in an IPv6 address is checked as
IPv4 if the network would translate it too.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from firmograph.kit.errors import Refused

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_SPECIAL_IPV4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, including cloud metadata services
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnels
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
# everything outside is loopback, local, multicast, translated, discard-only, segment routing (5f00::/16) or unassigned
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_SPECIAL_IPV6: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarking, ORCHID, AS112 and more
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
_LOOPBACK: Final = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))
# 64:ff9b:1::/48 and other translator prefixes are local to one network, so they are refused as local addresses
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")


class AddressGuard:
    """Check that accepts public addresses, the networks `allowed`, and loopback if enabled."""

    def __init__(self, allowed: Sequence[Network] = (), *, loopback: bool = False) -> None:
        self._allowed = (*allowed, *(_LOOPBACK if loopback else ()))

    def check(self, address: str) -> bool:
        """Return whether connections to the address are allowed; an address in unusual spelling is refused."""
        try:
            literal = ip_address(address.partition("%")[0])
        except ValueError:
            return False
        target = _embedded_ipv4(literal)
        return any(each in network for each in (literal, target) for network in self._allowed) or _is_public(
            target
        )


def parse_networks(setting: str, text: str) -> list[Network]:
    """Parse comma-separated addresses and networks. Raises Refused naming the setting and the malformed one."""
    parsed = []
    for name in filter(None, map(str.strip, text.split(","))):
        try:
            parsed.append(ip_network(name))
        except ValueError as error:
            raise Refused(
                f"{setting}: {name} is not an address or network; write 10.0.0.5 or 10.0.0.0/8,"
                " separated by commas"
            ) from error
    return parsed


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_IPV4)
    return address in _GLOBAL_UNICAST and not any(address in network for network in _SPECIAL_IPV6)


def _embedded_ipv4(address: Address) -> Address:
    """Return the IPv4 address that packets to an IPv6 address reach by mapping or translation, else the address."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if address in _TRANSLATED:
            return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address

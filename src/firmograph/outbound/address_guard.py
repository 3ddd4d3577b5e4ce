"""To which addresses requests may go that somebody outside asks us to make.

The table is our own, from IANA's special-purpose registries of IPv4 and IPv6 (2025-10), their multicast registries and
the IPv6 address space: what stands there is no receiver on the public Internet, whether or not it is routed. Python's
`is_global` is not asked, as what it says differs between releases. An IPv4 address inside one of IPv6 is unpacked and
judged as what it is, where the network would do so too.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from firmograph.kit.errors import Refused

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_SPECIAL4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, and there the metadata of clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnels
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
# outside of it all is loopback, local, multicast, translated, discarded, a segment (5f00::/16), or not yet given out
_UNICAST6: Final = IPv6Network("2000::/3")
_SPECIAL6: Final = tuple(
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
# 64:ff9b:1::/48 and other prefixes of translators are of one network alone, so they are judged as what is local
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")


class AddressGuard:
    """Lets public addresses through, those of the networks `allowed`, and this machine's own if `loopback`."""

    def __init__(self, allowed: Sequence[Network] = (), *, loopback: bool = False) -> None:
        self._allowed = (*allowed, *(_LOOPBACK if loopback else ()))

    def check(self, address: str) -> bool:
        """Whether one may connect to the address. What is no address in its usual spelling may not be connected to."""
        try:
            written = ip_address(address.partition("%")[0])
        except ValueError:
            return False
        meant = _unpacked(written)
        return any(each in network for each in (written, meant) for network in self._allowed) or _public(
            meant
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


def _public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL4)
    return address in _UNICAST6 and not any(address in network for network in _SPECIAL6)


def _unpacked(address: Address) -> Address:
    """The IPv4 address that packets to this one of IPv6 go to, through this machine or a translator; else itself."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if address in _TRANSLATED:
            return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address

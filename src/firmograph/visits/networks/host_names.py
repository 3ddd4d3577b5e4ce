"""Companies by host names of addresses; those of providers, hosters and dynamic pools are nobody's."""

import re
from functools import cache
from importlib.resources import files
from ipaddress import IPv4Address, IPv6Address
from itertools import pairwise
from typing import Final

from firmograph.directory.normalise.domains import host_of, registrable_domain
from firmograph.directory.normalise.emails import is_free_mail
from firmograph.directory.shared_hosts import is_shared

_POOL_WORDS: Final = frozenset(
    "abo adsl bb broadband cable cablemodem catv cgn cgnat cloud colo colocation compute cpe crawl crawler cust "
    "customer customers dedicated dhcp dial dialin dialup dsl dyn dynamic dynamicip dynip exit fiber fibre fttb "
    "fttc ftth ftthx fttx gpon gprs hosted hosting hsd instance ipool lte mobile nomad pool pools ppp pppoe pptp "
    "res residential rev reverse satellite sdsl spider subs subscriber subscribers tor umts unassigned unused "
    "user users vdsl vps wimax wireless xdsl".split()
)
"""Words in names that providers and hosters give to addresses of their customers."""
_WORD: Final = re.compile(r"[a-z]+")
_NUMBER: Final = re.compile(r"\d{1,4}")
_SEPARATOR: Final = re.compile(r"[-._]")


def company_domain(name: str, address: IPv4Address | IPv6Address) -> str | None:
    """Return the domain of the company that a host name stands for; None where it may be anybody's.

    So is a name at a provider or hoster, one with a word of their pools, and one that spells the address.
    """
    host = host_of(name)
    if host is None:
        return None
    domain = registrable_domain(host)
    labels = host.split(".")
    if "." not in domain or not _providers().isdisjoint(
        ".".join(labels[at:]) for at in range(len(labels) - 1)
    ):
        return None
    if is_free_mail(domain) or is_shared(host) or is_shared(domain):
        return None
    below = host.removesuffix(domain)
    is_of_pool = not _POOL_WORDS.isdisjoint(_WORD.findall(below)) or _spells(below, address)
    return None if is_of_pool else domain


def _spells(labels: str, address: IPv4Address | IPv6Address) -> bool:
    """Return whether labels hold the address or half of it: in numbers in either order, or hexadecimal."""
    joined = _SEPARATOR.sub("", labels)
    packed = address.packed
    if isinstance(address, IPv6Address):
        parts = [packed[at : at + 4] for at in range(0, len(packed), 4)]
        return any(part.hex() in joined for part in parts if any(part))
    if packed.hex() in joined or any(_in_full(order) in joined for order in (packed, packed[::-1])):
        return True
    named = [int(number) for number in _NUMBER.findall(labels)]
    of_address = {pair for order in (packed, packed[::-1]) for pair in pairwise(order)}
    return any(pair in of_address for pair in pairwise(named))


def _in_full(numbers: bytes) -> str:
    """Return numbers with three digits each."""
    return "".join(f"{number:03}" for number in numbers)


@cache
def _providers() -> frozenset[str]:
    text = (files(__package__) / "data" / "providers.txt").read_text("utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))

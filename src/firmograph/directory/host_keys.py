"""Identity keys of hosts: those of a company's domains, and those by which a requested host finds companies.

See docs/reference/lookups.md#hosts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from firmograph.directory.identity import Digests
from firmograph.directory.normalise.domains import registrable_domain
from firmograph.directory.shared_hosts import answering_hosts, is_shared

GENERAL_LABELS: Final = frozenset(
    (
        *("www", "corporate", "corp", "about", "home", "shop", "store", "ir", "investors", "group"),
        *("global", "en"),
    )
)
"""Labels of a whole company's pages. Names of countries and units are none: `us.hsbc.com` is not HSBC."""

C = TypeVar("C")


class HostKeys(NamedTuple):
    """Keys by which a requested host finds companies."""

    held: tuple[tuple[bytes, bytes], ...]
    """Of the host, then of each one above it that answers for it: as a domain, and as any domain of a company."""
    general: bytes | None = None
    """For a registrable domain: of companies below it whose further labels are all general."""
    below: bytes | None = None
    """For a registrable domain: of all companies below it."""

    def all(self) -> Iterator[bytes]:
        for keys in self.held:
            yield from keys
        yield from (key for key in (self.general, self.below) if key is not None)

    def nearest(self, by_key: Mapping[bytes, Sequence[C]]) -> Sequence[C]:
        """Return the companies of the nearest host that any holds, preferably as its domain."""
        return next((by_key[key] for keys in self.held for key in keys if by_key.get(key)), ())

    def answer(self, by_key: Mapping[bytes, Sequence[C]]) -> Sequence[C]:
        """Return the companies of the nearest held host, else the only company with general labels below the host."""
        found = self.nearest(by_key)
        if found or self.general is None:
            return found
        general = by_key.get(self.general, ())
        return general if len(general) == 1 else ()

    def named(self, by_key: Mapping[bytes, Sequence[C]]) -> list[C]:
        """Return all companies that hold exactly the host; if none does, those below it."""
        exactly = dict.fromkeys(company for key in self.held[0] for company in by_key.get(key, ()))
        return list(exactly or (by_key.get(self.below, ()) if self.below else ()))

    def employers(self, by_key: Mapping[bytes, Sequence[C]]) -> Sequence[C]:
        """Return the companies of the nearest held host; if there is none, those below the host."""
        return self.nearest(by_key) or (by_key.get(self.below, ()) if self.below else ())


def host_keys(digests: Digests, host: str) -> HostKeys:
    """Return the keys by which a host finds companies. None of them leads across a public suffix."""
    held = tuple((digests.company_host(one), digests.company_domain(one)) for one in answering_hosts(host))
    if registrable_domain(host) != host or is_shared(host):
        return HostKeys(held)
    return HostKeys(held, digests.company_general_host(host), digests.company_below(host))


def stored_host_keys(digests: Digests, hosts: Iterable[str]) -> set[bytes]:
    """Return the look-up keys of a company's domains; its own domain has a merge key besides."""
    keys = set()
    for host in hosts:
        keys.add(digests.company_domain(host))
        above = registrable_domain(host)
        if above == host or is_shared(host) or is_shared(above):
            continue
        keys.add(digests.company_below(above))
        if GENERAL_LABELS.issuperset(host.removesuffix(f".{above}").split(".")):
            keys.add(digests.company_general_host(above))
    return keys

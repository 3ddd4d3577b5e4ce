"""Networks of all sources: loading by the operator, and look-ups of addresses."""

import secrets
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import NamedTuple

from firmograph.database.connection import Database
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.operator_audit.service import OperatorAudit
from firmograph.visits.networks import store
from firmograph.visits.networks.files import ReadNetworks, read_networks
from firmograph.visits.networks.ranges import AddressRanges, pack
from firmograph.visits.networks.types import NetworkKind, NetworkOwner, NetworkSource


class AddressOwner(NamedTuple):
    """Company and country of an address."""

    company: NetworkOwner | None = None
    country: str | None = None
    is_hosted: bool = False
    """Whether the address is a hoster's."""


class NetworkLookup:
    """Networks as they were loaded at one moment."""

    def __init__(self, sources: Iterable[AddressRanges]) -> None:
        self._sources = list(sources)

    def find(self, address: IPv4Address | IPv6Address) -> AddressOwner:
        """Return the owner of the longest network that names a company, over all sources, and the country.

        In one source the longest network alone counts: a hoster's within a company's is nobody's. The country is that
        of the network that names the company, else that of the longest one that has any.
        """
        found = [network for each in self._sources if (network := each.find(address)) is not None]
        found.sort(key=lambda network: network.prefix, reverse=True)
        company = next((one.owner for one in found if one.owner.names_company), None)
        countries = [one.owner.country for one in found if one.owner.country]
        if company is not None and company.country:
            countries.insert(0, company.country)
        is_hosted = company is None and any(one.owner.kind is NetworkKind.HOSTING for one in found)
        return AddressOwner(company, countries[0] if countries else None, is_hosted)


class Networks:
    """Networks of all sources; each process keeps its look-ups in memory."""

    def __init__(self, database: Database, clock: Clock, audit: OperatorAudit) -> None:
        self._database = database
        self._clock = clock
        self._audit = audit
        self._loaded: dict[bytes, AddressRanges] = {}
        self._lookup = NetworkLookup([])

    def load(self, path: Path, name: str) -> ReadNetworks:
        """Load a file in place of the networks that the source had. Raises Refused, changing nothing."""
        counts = ReadNetworks()

        contents = pack(read_networks(path, counts))
        if not counts.networks:
            raise Refused(f"{path} has no network that can be read{_first_reason(counts)}")
        at = self._clock.seconds()
        source = NetworkSource(
            name, secrets.token_bytes(16), path.name, at, counts.networks, counts.companies
        )
        with self._database.write(None) as session:
            store.replace_source(session, source, contents)
            self._audit.record(
                session, at, "networks load", subject=name, details={"networks": counts.networks}
            )
        return counts

    def sources(self) -> list[NetworkSource]:
        """Return the loaded sources, by name."""
        return store.select_sources(self._database.session())

    def remove(self, name: str) -> NetworkSource:
        """Remove the networks of a source. Raises Refused for an unknown one."""
        with self._database.write(None) as session:
            sources = {source.name: source for source in store.select_sources(session)}
            if name not in sources:
                known = f"; loaded are {', '.join(sources)}" if sources else "; none are loaded"
                raise Refused(f"No networks of a source {name!r}{known}")
            store.delete_source(session, name)
            self._audit.record(session, self._clock.seconds(), "networks remove", subject=name)
        return sources[name]

    def lookup(self) -> NetworkLookup:
        """Return the networks that are loaded now; those that changed are read first. One statement if none did."""
        with self._database.read() as session:
            versions = {source.version: source.name for source in store.select_sources(session)}
            if versions.keys() != self._loaded.keys():
                self._loaded = {
                    version: self._loaded.get(version) or AddressRanges(store.select_contents(session, name))
                    for version, name in versions.items()
                }
                self._lookup = NetworkLookup(self._loaded.values())
        return self._lookup


def _first_reason(counts: ReadNetworks) -> str:
    if not counts.rejected:
        return ""
    line, reason = next(iter(counts.rejected.items()))
    return f": line {line} is {reason}"

"""Recognition of visitors and of their companies, by which addresses are dropped (rulings J 11 to 14, O)."""

import hashlib
import re
from datetime import date
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final, NamedTuple

from firmograph.directory.identity import Digests
from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.emails import is_free_mail
from firmograph.kit.clock import DAY_SECONDS, day_of
from firmograph.visits.networks.service import NetworkLookup, Networks
from firmograph.visits.packing import MOST_SECONDS
from firmograph.visits.salts import Salts, quarter_of
from firmograph.visits.types import OwnerKind, PageView, RawPageView, Site, VisitOwner

_OF_CUSTOMER_ID: Final = 1.0
_OF_DOMAIN: Final = 1.0
_OF_POSTED_DOMAIN: Final = 0.6
"""Anybody can post a domain to the collector."""
_OF_NETWORK: Final = 0.7
_PATH_BYTES: Final = 8
_MOST_KNOWN: Final = 50_000
"""Addresses, paths and visitors that a recognition remembers."""
_SHA_256: Final = re.compile(r"[0-9a-f]{64}")


class UnknownVisitorError(ValueError):
    """Page view without address and without any name of its visitor, which is rejected."""


class VisitorRecognition:
    """Recognition of visitors for all sites."""

    def __init__(self, digests: Digests, salts: Salts, networks: Networks) -> None:
        self._digests = digests
        self._salts = salts
        self._networks = networks

    def for_site(
        self, site: Site, before: "SiteRecognition | None" = None, *, from_collector: bool = False
    ) -> "SiteRecognition":
        """Return the recognition for a batch of page views, with the networks that are loaded now.

        That of the batch before knows its visitors; it goes on unless networks or salts have changed since.
        """
        networks = self._networks.lookup()
        if before is not None and before.is_current(networks):
            return before
        return SiteRecognition(site, self._digests, self._salts, networks, from_collector=from_collector)


class _Address(NamedTuple):
    text: str
    """In the usual form."""
    is_excluded: bool
    owner: VisitOwner | None = None
    country: str | None = None
    may_be_asked_about: bool = False
    """Whether reverse DNS may be asked for its name."""


class _Path(NamedTuple):
    digest: bytes
    is_intent: bool


class SiteRecognition:
    """Recognition of the visitors of one site, for one or more batches of page views."""

    def __init__(
        self, site: Site, digests: Digests, salts: Salts, networks: NetworkLookup, *, from_collector: bool
    ) -> None:
        self._site = site
        self._digests = digests
        self._salts = salts
        self._networks = networks
        self._domain_confidence = _OF_POSTED_DOMAIN if from_collector else _OF_DOMAIN
        self._excluded = [ip_network(each) for each in site.excluded.networks]
        self._intent = re.compile("|".join(map(_regex, site.intent))) if site.intent else None
        self._addresses: dict[str, _Address] = {}
        self._paths: dict[str, _Path] = {}
        self._visitors: dict[tuple[int, str, str], bytes] = {}
        self._quarters: dict[int, int] = {}
        """Quarters by day."""
        self._salted: dict[int, date] = {}
        """A day of each quarter whose visitors are remembered."""

    def is_current(self, networks: NetworkLookup) -> bool:
        """Return whether these are its networks, and no quarter whose visitors it knows is closed."""
        return networks is self._networks and all(
            self._salts.find(day) is not None for day in self._salted.values()
        )

    def is_excluded(self, raw: RawPageView) -> bool:
        """Return whether a page view is the site's own traffic."""
        if raw.address and self._excluded and self._address(raw.address).is_excluded:
            return True
        host = host_of(raw.email_domain) if raw.email_domain and self._site.excluded.email_domains else None
        return host is not None and any(
            host == each or host.endswith(f".{each}") for each in self._site.excluded.email_domains
        )

    def page_view(self, raw: RawPageView) -> PageView | None:
        """Return a page view without address, path and agent; None if its quarter is closed.

        Raises UnknownVisitorError, and Busy where a quarter's salt is made.
        """
        visitor = self._named_visitor(raw)
        address = self._address(raw.address) if raw.address else None
        if visitor is None:
            if address is None:
                raise UnknownVisitorError("no address, and no name of the visitor")
            visitor = self._unnamed_visitor(raw.at, address.text, raw.agent)
            if visitor is None:
                return None
        path = self._path(raw.path)
        return PageView(
            visitor,
            raw.at,
            path.digest,
            path.is_intent,
            None if raw.seconds is None else max(0, min(raw.seconds, MOST_SECONDS)),
            self._passed_owner(raw) or (address.owner if address else None),
            address.country if address else None,
        )

    def address_to_ask_about(self, raw: RawPageView) -> str | None:
        """Return the address of a page view if reverse DNS may be asked for its name: a public one, of no hoster."""
        address = self._address(raw.address) if raw.address else None
        return address.text if address and address.may_be_asked_about else None

    def _named_visitor(self, raw: RawPageView) -> bytes | None:
        """Return the digest of a visitor who passes a name; one of another form than a hash is none."""
        if raw.email_hash and _SHA_256.fullmatch(hashed := raw.email_hash.strip().lower()):
            return self._digests.contact_email_hash(hashed)
        account_id, site = self._site.account_id, self._site
        if raw.customer_id:
            return self._digests.visit_customer(account_id, site.customers or str(site.id), raw.customer_id)
        return self._digests.visit_visitor(site.id, raw.visitor) if raw.visitor else None

    def _unnamed_visitor(self, at: int, address: str, agent: str) -> bytes | None:
        day = at // DAY_SECONDS
        quarter = self._quarters.get(day)
        if quarter is None:
            quarter = self._quarters[day] = quarter_of(day_of(at))
        known = self._visitors.get((quarter, address, agent))
        if known is None:
            on = day_of(at)
            salt = self._salts.find(on)
            if salt is None:
                return None
            self._salted[quarter] = on
            text = f"{self._site.id}\0{address}\0{agent}".encode(errors="surrogatepass")
            known = hashlib.blake2b(text, key=salt, digest_size=16).digest()
            if len(self._visitors) >= _MOST_KNOWN:
                self._visitors.clear()
            self._visitors[quarter, address, agent] = known
        return known

    def _passed_owner(self, raw: RawPageView) -> VisitOwner | None:
        """Return the company that the site's page passes."""
        host = host_of(raw.email_domain) if raw.email_domain else None
        if host is not None and not is_free_mail(host):
            return VisitOwner(OwnerKind.DOMAIN, host, self._domain_confidence)
        if raw.customer_id and self._site.customers:
            return VisitOwner(OwnerKind.CUSTOMER, raw.customer_id, _OF_CUSTOMER_ID)
        return None

    def _address(self, text: str) -> _Address:
        known = self._addresses.get(text)
        if known is None:
            if len(self._addresses) >= _MOST_KNOWN:
                self._addresses.clear()
            known = self._addresses[text] = self._look_up(text)
        return known

    def _look_up(self, text: str) -> _Address:
        try:
            address = ip_address(text.strip().partition("%")[0])
        except ValueError:
            # a server that resolves names logs a host name
            return _Address(text, False)
        address = getattr(address, "ipv4_mapped", None) or address
        found = self._networks.find(address)
        company = found.company
        owner = (
            VisitOwner(OwnerKind.NETWORK, company.domain or company.name, _OF_NETWORK) if company else None
        )
        may_be_asked_about = address.is_global and not found.is_hosted
        return _Address(str(address), self._is_own(address), owner, found.country, may_be_asked_about)

    def _is_own(self, address: IPv4Address | IPv6Address) -> bool:
        return any(address in network for network in self._excluded)

    def _path(self, text: str) -> _Path:
        known = self._paths.get(text)
        if known is None:
            path = text.partition("#")[0].partition("?")[0]
            is_intent = self._intent is not None and self._intent.fullmatch(path) is not None
            known = _Path(self._digests.visit_path(self._site.id, path)[:_PATH_BYTES], is_intent)
            if len(self._paths) >= _MOST_KNOWN:
                self._paths.clear()
            self._paths[text] = known
        return known


def _regex(pattern: str) -> str:
    """Return the expression of a pattern in which `*` stands for any characters."""
    return "(?:" + ".*".join(map(re.escape, pattern.split("*"))) + ")"

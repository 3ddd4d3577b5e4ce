"""Page views, sessions and their owners (rulings J 10 to 16, O)."""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import msgspec


class OwnerKind(IntEnum):
    """Way by which the company of a visitor was found, the surest first."""

    DOMAIN = 1
    """Domain of an e-mail address that the page view passes; not of free mail."""
    CUSTOMER = 2
    """Customer id, a `sourceId` of the site's source of customers."""
    NETWORK = 3
    """Longest network of kind business, education or government."""
    REVERSE_DNS = 4


class VisitOwner(NamedTuple):
    """Company of a visitor as it was found; its record is looked up when it is asked for."""

    kind: OwnerKind
    key: str
    """Domain; or the customer's `sourceId`. Of a network without a domain its owner's name."""
    confidence: float
    """0 to 1."""


class PageView(NamedTuple):
    """Page view without address, path, query and agent; known by visitor, second and path digest."""

    visitor: bytes
    """Keyed digest of 16 bytes."""
    at: int
    """Seconds since 1970-01-01 UTC."""
    path: bytes
    """Keyed digest of 8 bytes."""
    is_intent: bool
    """Whether the path fits one of the site's intent patterns."""
    seconds: int | None = None
    """How long the page was looked at, if it was measured."""
    owner: VisitOwner | None = None
    country: str | None = None
    """ISO 3166-1 alpha-2."""


class VisitSession(NamedTuple):
    """Page views of one visitor without a break of 30 minutes, at most 24 hours and 1,000 page views."""

    visitor: bytes
    started_at: int
    seconds: int
    """Last page view less the first."""
    page_views: int
    intent_page_views: int
    owner: VisitOwner | None
    country: str | None


class Exclusions(msgspec.Struct, frozen=True, rename="camel"):
    """Own traffic, which a site leaves out."""

    networks: tuple[str, ...] = ()
    email_domains: tuple[str, ...] = ()
    """Of passed addresses; a domain covers its subdomains."""


class Site(NamedTuple):
    """Tracked domain of an account, with its subdomains."""

    account_id: int
    id: int
    domain: str
    intent: Sequence[str]
    """Patterns of paths, with `*` for any characters, also slashes."""
    customers: str | None
    """Source of companies whose `sourceId` a page view may pass as customer id."""
    zone: str | None
    """IANA time zone of its days, UTC without it."""
    excluded: Exclusions
    tracked_at: float


class RawPageView(NamedTuple):
    """Page view as a log, file or browser gives it; it is never stored."""

    at: int
    """Seconds since 1970-01-01 UTC."""
    path: str
    """Path, and the query if an intent pattern may ask for it; neither is kept."""
    address: str | None = None
    agent: str = ""
    visitor: str | None = None
    """The operator's own name for the visitor."""
    email_domain: str | None = None
    email_hash: str | None = None
    """SHA-256 of the lower-case e-mail address, in hex."""
    customer_id: str | None = None
    seconds: int | None = None
    """How long the page was looked at, if it was measured."""


class AddedPageViews(NamedTuple):
    """Counts of page views that were given."""

    new: int = 0
    known: int = 0
    """Those that the site has already, by visitor, second and path."""
    closed: int = 0
    """Set aside: they need the salt of a quarter that was destroyed."""
    suppressed: int = 0
    """Those of suppressed people."""
    sessions: int = 0
    """Sessions more than before; page views that come late may join two."""

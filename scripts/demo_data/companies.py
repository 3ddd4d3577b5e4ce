"""The companies gathered so far: one row a host, found again by host, name and ticker."""

import re
from collections.abc import Iterable, Iterator

from demo_data.files import Row
from firmograph.directory.company_names import company_key
from firmograph.directory.normalise.domains import host_of, registrable_domain
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.normalise.locations import country_code

_SHARED = frozenset(
    "wixsite.com wordpress.com blogspot.com github.io medium.com producthunt.com notion.site linktr.ee "
    "ycombinator.com crunchbase.com t.me bit.ly substack.com webflow.io vercel.app netlify.app herokuapp.com".split()
)
"""Where many publish: a page there does not make its author the owner of the domain."""
_PARTLY_SHARED = frozenset(
    "facebook.com linkedin.com twitter.com x.com instagram.com google.com github.com gitlab.com "
    "apple.com youtube.com amazon.com".split()
)
"""The same, but the bare domain is a company's own."""

_UNITED = (
    "alternativeNames",
    "alternativeDomains",
    "technologies",
    "industryTags",
    "stockSymbols",
    "parents",
)


def host(website: str) -> str | None:
    """The host of a company's own website, without `www.`; None for a page on a site that many share."""
    found = host_of(website) if website else None
    if found is None:
        return None
    domain = registrable_domain(found)
    is_page = found != domain or "/" in website.partition("://")[2].strip("/")
    return None if domain in _SHARED or (is_page and domain in _PARTLY_SHARED) else found


def label_of(domain: str) -> str:
    """What a company chose of its domain: `adler-group` of ir.adler-group.com."""
    return registrable_domain(domain).split(".")[0]


def agrees(name: str, domain: str) -> bool:
    """Whether a domain's own label is the name, or begins it: `Adler Group` and adler-group.com, adler.de."""
    label = label_of(domain).replace("-", "")
    key = company_key(name)
    return len(label) > 2 and (key == label or (len(label) > 3 and key.startswith(label)))


class Companies:
    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}
        self._by_host: dict[str, Row] = {}
        self._by_page: dict[str, Row] = {}
        self._by_name: dict[str, list[Row]] = {}

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows.values())

    def at(self, domain: str | None) -> Row | None:
        """The company at this very host."""
        return self._by_host.get(domain) if domain else None

    def may_join(self, domain: str, names: Iterable[str], country: str | None) -> bool:
        """Whether a row with these names is the company at this host, if there is one.

        A unit has its owner's website, and a subsidiary abroad its group's, often enough.
        """
        held = self.at(domain)
        if held is None:
            return True
        have = _country(held)
        if have and country and have != country:
            return False
        theirs = [company_key(name) for name in (held["name"], *held.get("alternativeNames", ()))]
        ours = [company_key(_BRACKETS.sub("", name)) for name in names]
        return any(a and b and (a.startswith(b) or b.startswith(a)) for a in theirs for b in ours)

    def named(self, name: str) -> Row | None:
        """The one company of this name; of several, the one with a domain, or the one whose domain is the name."""
        key = company_key(name)
        found = self._by_name.get(key, [])
        with_domain = [row for row in found if row.get("domain")]
        at_name = [row for row in with_domain if label_of(row["domain"]).replace("-", "") == key]
        return next((rows[0] for rows in (found, with_domain, at_name) if len(rows) == 1), None)

    def add(self, row: Row) -> Row:
        """Take a row in, or into the row that has its host already, whose own values stand."""
        held = self.at(row.get("domain")) or self._rows.setdefault(row["sourceId"], {})
        self._merge(held, row)
        if domain := held.get("domain"):
            self._by_host[domain] = held
        for name in (held.get("name"), *held.get("alternativeNames", ())):
            rows = self._by_name.setdefault(company_key(name or ""), [])
            if not any(row is held for row in rows):
                rows.append(held)
        return held

    def settle(self, held: Row, domain: str) -> None:
        """Give a company that is known without a domain its own."""
        held["domain"] = domain
        self._by_host[domain] = held

    def _merge(self, held: Row, row: Row) -> None:
        page = row.pop("linkedinUrl", None)
        if page and (slug := linkedin_slug(page, "company")) and self._by_page.setdefault(slug, held) is held:
            # one page belongs to one company: the first row that claims it
            held.setdefault("linkedinUrl", slug)
        name = row.get("name")
        if "name" in held and name and company_key(name) != company_key(held["name"]):
            row["alternativeNames"] = [name, *row.get("alternativeNames", ())]
        for field in _UNITED:
            unite(held, field, row.pop(field, ()))
        for field, value in row.items():
            if value:
                held.setdefault(field, value)


_BRACKETS = re.compile(r"\s*\(.*?\)")


def _country(row: Row) -> str | None:
    place = row.get("location") or {}
    return place.get("countryIso2") or country_code(place.get("country") or "")


def unite(row: Row, field: str, values: Iterable[object]) -> None:
    """Add what a list lacks; a name never stands beside the company's own."""
    have = row.setdefault(field, [])
    for value in values:
        if value and value not in have and value != row.get("name"):
            have.append(value)


def reference(row: Row) -> Row:
    """A company as another record names it."""
    return {"name": row["name"], "domain": row.get("domain")}

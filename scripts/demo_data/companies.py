"""The companies collected so far: one row for each host, found by host, name and ticker."""

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
    """Return the host of a company's own website, without `www.`; None for a page on a shared host."""
    found = host_of(website) if website else None
    if found is None:
        return None
    domain = registrable_domain(found)
    is_page = found != domain or "/" in website.partition("://")[2].strip("/")
    return None if domain in _SHARED or (is_page and domain in _PARTLY_SHARED) else found


def label_of(domain: str) -> str:
    """Return the company's own label of its domain: `adler-group` of ir.adler-group.com."""
    return registrable_domain(domain).split(".")[0]


def agrees(name: str, domain: str) -> bool:
    """Return whether a domain's own label is the name or begins it: `Adler Group`, adler-group.com, adler.de."""
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
        """Return the company at exactly this host."""
        return self._by_host.get(domain) if domain else None

    def may_join(self, domain: str, names: Iterable[str], country: str | None) -> bool:
        """Return whether a row with these names is the company at this host, if there is one.

        A unit often has its owner's website, and a subsidiary abroad its group's.
        """
        company = self.at(domain)
        if company is None:
            return True
        have = _country(company)
        if have and country and have != country:
            return False
        known_keys = [company_key(name) for name in (company["name"], *company.get("alternativeNames", ()))]
        own_keys = [company_key(_BRACKETS.sub("", name)) for name in names]
        return any(a and b and (a.startswith(b) or b.startswith(a)) for a in known_keys for b in own_keys)

    def named(self, name: str) -> Row | None:
        """Return the only company of this name, the only one with a domain, or the one whose domain is the name."""
        key = company_key(name)
        found = self._by_name.get(key, [])
        with_domain = [row for row in found if row.get("domain")]
        at_name = [row for row in with_domain if label_of(row["domain"]).replace("-", "") == key]
        return next((rows[0] for rows in (found, with_domain, at_name) if len(rows) == 1), None)

    def add(self, row: Row) -> Row:
        """Add a row, or merge it into the row with its host, whose own values are kept."""
        company = self.at(row.get("domain")) or self._rows.setdefault(row["sourceId"], {})
        self._merge(company, row)
        if domain := company.get("domain"):
            self._by_host[domain] = company
        for name in (company.get("name"), *company.get("alternativeNames", ())):
            rows = self._by_name.setdefault(company_key(name or ""), [])
            if not any(row is company for row in rows):
                rows.append(company)
        return company

    def settle(self, company: Row, domain: str) -> None:
        """Give a company without a domain its own."""
        company["domain"] = domain
        self._by_host[domain] = company

    def _merge(self, company: Row, row: Row) -> None:
        page = row.pop("linkedinUrl", None)
        if (
            page
            and (slug := linkedin_slug(page, "company"))
            and self._by_page.setdefault(slug, company) is company
        ):
            # one page belongs to one company: the first row that claims it
            company.setdefault("linkedinUrl", slug)
        name = row.get("name")
        if "name" in company and name and company_key(name) != company_key(company["name"]):
            row["alternativeNames"] = [name, *row.get("alternativeNames", ())]
        for field in _UNITED:
            unite(company, field, row.pop(field, ()))
        for field, value in row.items():
            if value:
                company.setdefault(field, value)


_BRACKETS = re.compile(r"\s*\(.*?\)")


def _country(row: Row) -> str | None:
    place = row.get("location") or {}
    return place.get("countryIso2") or country_code(place.get("country") or "")


def unite(row: Row, field: str, values: Iterable[object]) -> None:
    """Add missing items of a list; a name is never added to the company's own."""
    have = row.setdefault(field, [])
    for value in values:
        if value and value not in have and value != row.get("name"):
            have.append(value)


def reference(row: Row) -> Row:
    """Return the reference by which another record names a company."""
    return {"name": row["name"], "domain": row.get("domain")}

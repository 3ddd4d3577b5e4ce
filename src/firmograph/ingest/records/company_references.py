"""References to companies by name, domain or LinkedIn page (docs/reference/records.md#named-companies)."""

from functools import lru_cache

from firmograph.directory.names import fold
from firmograph.directory.normalise.locations import country_code
from firmograph.directory.normalise.placeholders import is_placeholder_text, is_unnamed
from firmograph.directory.records import CompanyRef
from firmograph.directory.shared_hosts import company_host
from firmograph.ingest.reading.cell_values import split_addresses
from firmograph.ingest.reading.inputs import CompanyRefInput
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.values import line, linkedin, token

_NO_COMPANY = frozenset(
    "independent,individual,self employed,selfemployed,freelance,freelancer,unemployed,retired".split(",")
)


def read_company_name(text: str | None) -> str | None:
    """Return a company's name; None for punctuation and errors of spreadsheets, which no company is called."""
    name = line(text)
    return name if name and not is_unnamed(name) else None


def read_company_hosts(cell: str, name: str | None) -> list[str]:
    """Return the hosts in a cell that can be domains of a company with this name."""
    return [host for one in split_addresses(cell) if (host := company_host(one, name))]


def read_company_reference(
    value: CompanyRefInput | str | None, notes: Notes | None = None, path: str = ""
) -> CompanyRef | None:
    """Return the reference to a company in a field; None when the value names none.

    A text is the company's name, or its address if it has the form of one. Unread parts are noted under `path`.
    """
    if value is None:
        return None
    if isinstance(value, str):
        return _read_text(value)
    country = value.country_iso2 or value.hq_country or value.country
    found = _build_reference(
        value.name,
        value.domain,
        value.linkedin_url,
        country,
        token(value.id) or token(value.lusha_company_id),
    )
    if notes:
        if value.domain is not None:
            # a shared host gives no domain, but does not count as unread
            found_host = (found and found.domain) or split_addresses(value.domain)
            notes.check(path + ".domain", value.domain, found_host)
        if value.linkedin_url is not None:
            notes.check(path + ".linkedinUrl", value.linkedin_url, found and found.linkedin_url)
        if country is not None:
            notes.check(path + ".country", country, (found and found.country_iso2) or country_code(country))
    return found


def _read_text(value: str) -> CompanyRef | None:
    if "linkedin.com/" in value or "linkedin.cn/" in value:
        return _build_reference(None, None, value, None)
    if "://" in value or value.startswith("www."):
        return _build_reference(None, value, None, None)
    return _build_reference(value, None, None, None)


@lru_cache(maxsize=32_768)
def _build_reference(
    name: str | None, domain: str | None, page: str | None, country: str | None, token: str | None = None
) -> CompanyRef | None:
    """Return a reference that rows with the same values share; callers must not change it."""
    name = read_company_name(name)
    host = next(iter(read_company_hosts(domain, name)), None) if domain else None
    address = linkedin(page, "company")
    if not host and not address:
        folded = fold(name) if name else ""
        if not name or not folded or folded in _NO_COMPANY or is_placeholder_text(name):
            return None
    return CompanyRef(
        name=name,
        domain=host,
        linkedin_url=address,
        country_iso2=country_code(country) if country else None,
        token=token,
    )

"""Stored rows of earlier releases, as reading the same file would make them today.

What an earlier release did not keep cannot come back here; importing the file again brings it.
"""

from typing import TypeVar

import msgspec

from firmograph.directory.company_names import company_key, has_later_form
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.domains import registrable_domain
from firmograph.directory.normalise.linkedin import is_member_id, linkedin_slug
from firmograph.directory.normalise.placeholders import (
    is_placeholder_email,
    is_placeholder_id,
    is_placeholder_page,
    is_placeholder_phone,
)
from firmograph.directory.records import Company, CompanyLinks, CompanyRef, Contact, SocialLinks
from firmograph.directory.row_keys import company_row_keys
from firmograph.directory.shared_hosts import company_host, domain_forms
from firmograph.ingest.records.company_keys import STUB_SOURCE_NUMBER
from firmograph.ingest.records.industry_codes import sector_codes


def contact_row(record: Contact) -> Contact:
    """The row without placeholders, opaque LinkedIn ids and shared hosts."""
    changes: dict[str, object] = {
        "social_links": _links(record.social_links, "in"),
        "emails": [email for email in record.emails if not is_placeholder_email(email.email)],
        "phones": [phone for phone in record.phones if not is_placeholder_phone(phone.number)],
        "previous_emails": [email for email in record.previous_emails if not is_placeholder_email(email)],
        "company": record.company and _named(record.company),
        "previous_employment": [
            msgspec.structs.replace(job, company=named)
            for job in record.previous_employment
            if (named := _named(job.company))
        ],
    }
    return _replaced(record, changes)


def company_row(record: Company) -> Company:
    """The row without placeholders and shared hosts, its codes one by one."""
    name = record.name
    hosts = (company_host(domain, name) for domain in record.alternative_domains)
    changes: dict[str, object] = {
        "domain": company_host(record.domain, name) if record.domain else None,
        "alternative_domains": [host for host in hosts if host],
        "email_domain": company_host(record.email_domain, name) if record.email_domain else None,
        "social_links": _links(record.social_links, "company"),
        "emails": [email for email in record.emails if not is_placeholder_email(email.email)],
        "phones": [phone for phone in record.phones if not is_placeholder_phone(phone.number)],
        "parents": [named for ref in record.parents if (named := _named(ref))],
        "direct_parent": record.direct_parent and _named(record.direct_parent),
        "ultimate_parent": record.ultimate_parent and _named(record.ultimate_parent),
        "competitors": [named for ref in record.competitors if (named := _named(ref))],
        "naics_codes": [code for held in record.naics_codes for code in sector_codes(held)],
    }
    return _replaced(record, changes)


def place_now(at: tuple[int, str]) -> tuple[int, str]:
    """Source and source id of a stored row, the id `""` for a placeholder."""
    source, source_id = at
    return (source, "") if source != STUB_SOURCE_NUMBER and is_placeholder_id(source_id) else at


def missing_keys(digests: Digests, record: Company) -> set[bytes]:
    """The keys of a company's names that earlier releases did not make.

    Further spellings, loose ones, and those without legal forms that were not known.
    """
    named = Company(name=record.name, alternative_names=record.alternative_names)
    known = [name for name in record.alternative_names if not has_later_form(name)]
    made = {digests.company_alias(company_key(name)) for name in known}
    if record.name and not has_later_form(record.name):
        made.add(digests.company_name(company_key(record.name)))
    return company_row_keys(digests, "", "", named).all() - made


def former_keys(digests: Digests, record: Company) -> set[bytes]:
    """The keys that a row of an earlier release had by a registrable domain that many share."""
    domains = filter(None, (record.domain, *record.alternative_domains))
    return {
        digests.company_domain(above)
        for domain in domains
        if (above := registrable_domain(domain)) not in domain_forms(domain)
    }


R = TypeVar("R", Contact, Company)


def _replaced(record: R, changes: dict[str, object]) -> R:
    """The same record where nothing changes."""
    differing = {field: value for field, value in changes.items() if getattr(record, field) != value}
    return msgspec.structs.replace(record, **differing) if differing else record


L = TypeVar("L", SocialLinks, CompanyLinks)


def _links(links: L | None, kind: str) -> L | None:
    if links is None or (page := _page(links.linkedin, kind)) == links.linkedin:
        return links
    now = msgspec.structs.replace(links, linkedin=page)
    return now if now != type(links)() else None


def _page(address: str | None, kind: str) -> str | None:
    slug = linkedin_slug(address, kind) if address else None
    nobodys = slug and (is_placeholder_page(slug, address or "") or is_member_id(slug, address or ""))
    return None if nobodys else address


def _named(ref: CompanyRef) -> CompanyRef | None:
    """A company as a row names it; None where nothing is left of it."""
    domain = company_host(ref.domain, ref.name) if ref.domain else None
    page = _page(ref.linkedin_url, "company")
    if (domain, page) == (ref.domain, ref.linkedin_url):
        return ref
    now = msgspec.structs.replace(ref, domain=domain, linkedin_url=page)
    return now if now.name or now.domain or now.linkedin_url else None

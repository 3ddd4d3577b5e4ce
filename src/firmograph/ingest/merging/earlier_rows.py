"""Stored rows of earlier releases, converted as if this release had read them.

Values that an earlier release dropped are not restored; importing the file again does that.
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
from firmograph.ingest.records.industry_codes import expand_sector


def convert_contact_row(record: Contact) -> Contact:
    """Return the row without placeholders, opaque LinkedIn ids and shared hosts."""
    changes: dict[str, object] = {
        "social_links": _convert_links(record.social_links, "in"),
        "emails": [email for email in record.emails if not is_placeholder_email(email.email)],
        "phones": [phone for phone in record.phones if not is_placeholder_phone(phone.number)],
        "previous_emails": [email for email in record.previous_emails if not is_placeholder_email(email)],
        "company": record.company and _convert_ref(record.company),
        "previous_employment": [
            msgspec.structs.replace(job, company=converted)
            for job in record.previous_employment
            if (converted := _convert_ref(job.company))
        ],
    }
    return _replace_differing(record, changes)


def convert_company_row(record: Company) -> Company:
    """Return the row without placeholders and shared hosts, with combined industry codes split."""
    name = record.name
    hosts = (company_host(domain, name) for domain in record.alternative_domains)
    changes: dict[str, object] = {
        "domain": company_host(record.domain, name) if record.domain else None,
        "alternative_domains": [host for host in hosts if host],
        "email_domain": company_host(record.email_domain, name) if record.email_domain else None,
        "social_links": _convert_links(record.social_links, "company"),
        "emails": [email for email in record.emails if not is_placeholder_email(email.email)],
        "phones": [phone for phone in record.phones if not is_placeholder_phone(phone.number)],
        "parents": [converted for ref in record.parents if (converted := _convert_ref(ref))],
        "direct_parent": record.direct_parent and _convert_ref(record.direct_parent),
        "ultimate_parent": record.ultimate_parent and _convert_ref(record.ultimate_parent),
        "competitors": [converted for ref in record.competitors if (converted := _convert_ref(ref))],
        "naics_codes": [code for stored in record.naics_codes for code in expand_sector(stored)],
    }
    return _replace_differing(record, changes)


def current_slot(slot: tuple[int, str]) -> tuple[int, str]:
    """Return the slot of a stored row, with the source id `""` in place of a placeholder."""
    source, source_id = slot
    return (source, "") if source != STUB_SOURCE_NUMBER and is_placeholder_id(source_id) else slot


def missing_keys(digests: Digests, record: Company) -> set[bytes]:
    """Return the keys of a company's names that earlier releases did not write.

    These are further spellings, loose ones, and names without legal forms unknown to earlier releases.
    """
    record_of_names = Company(name=record.name, alternative_names=record.alternative_names)
    known = [name for name in record.alternative_names if not has_later_form(name)]
    written = {digests.company_alias(company_key(name)) for name in known}
    if record.name and not has_later_form(record.name):
        written.add(digests.company_name(company_key(record.name)))
    return company_row_keys(digests, "", "", record_of_names).all() - written


def former_keys(digests: Digests, record: Company) -> set[bytes]:
    """Return the keys of shared registrable domains that a row of an earlier release has."""
    domains = filter(None, (record.domain, *record.alternative_domains))
    return {
        digests.company_domain(above)
        for domain in domains
        if (above := registrable_domain(domain)) not in domain_forms(domain)
    }


R = TypeVar("R", Contact, Company)


def _replace_differing(record: R, changes: dict[str, object]) -> R:
    """Return the record with changes, and the same object where nothing differs."""
    differing = {field: value for field, value in changes.items() if getattr(record, field) != value}
    return msgspec.structs.replace(record, **differing) if differing else record


L = TypeVar("L", SocialLinks, CompanyLinks)


def _convert_links(links: L | None, kind: str) -> L | None:
    if links is None or (page := _convert_page(links.linkedin, kind)) == links.linkedin:
        return links
    changed = msgspec.structs.replace(links, linkedin=page)
    return changed if changed != type(links)() else None


def _convert_page(address: str | None, kind: str) -> str | None:
    slug = linkedin_slug(address, kind) if address else None
    is_unusable = slug and (is_placeholder_page(slug, address or "") or is_member_id(slug, address or ""))
    return None if is_unusable else address


def _convert_ref(ref: CompanyRef) -> CompanyRef | None:
    """Return a named company without placeholders and shared hosts; None where nothing is left."""
    domain = company_host(ref.domain, ref.name) if ref.domain else None
    page = _convert_page(ref.linkedin_url, "company")
    if (domain, page) == (ref.domain, ref.linkedin_url):
        return ref
    changed = msgspec.structs.replace(ref, domain=domain, linkedin_url=page)
    return changed if changed.name or changed.domain or changed.linkedin_url else None

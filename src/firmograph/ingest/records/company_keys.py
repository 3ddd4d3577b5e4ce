"""Identity keys of companies that other records refer to (docs/reference/records.md#named-companies)."""

from firmograph.directory.company_names import company_key, company_keys
from firmograph.directory.identity import Digests
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.records import CompanyRef
from firmograph.directory.row_keys import STUB_SOURCE
from firmograph.ingest.records.prepared_rows import ReferencedCompany

STUB_SOURCE_NUMBER = 0


def referenced_company(digests: Digests, ref: CompanyRef) -> ReferencedCompany | None:
    """Return the company that a reference names, with its keys; None when the reference is unusable."""
    slug = linkedin_slug(ref.linkedin_url, "company") if ref.linkedin_url else None
    name_key = company_key(ref.name) if ref.name else ""
    spellings = company_keys(ref.name) if ref.name else ()
    if not (ref.domain or slug or name_key):
        return None
    return ReferencedCompany(
        name=ref.name or "",
        domain=ref.domain or "",
        linkedin=slug or "",
        country=ref.country_iso2 or "",
        name_key=name_key,
        linkedin_digest=digests.company_linkedin(slug) if slug else None,
        host_digest=digests.company_host(ref.domain) if ref.domain else None,
        name_digests=[digests.company_name(key) for key in spellings],
        alias_digests=[digests.company_alias(key) for key in spellings],
        token=ref.token or "",
        token_digest=digests.company_source(STUB_SOURCE, ref.token) if ref.token else None,
    )


def stub_source_id(company: ReferencedCompany) -> str:
    """Return the source id of a company's stub; equal references give the same stub."""
    return company.token or company.domain or company.linkedin or company.name_key

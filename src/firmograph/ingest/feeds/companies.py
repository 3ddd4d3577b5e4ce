"""The company that a row of facts is about."""

from firmograph.directory.records import CompanyRef
from firmograph.ingest.feeds.mentions import parse_mention
from firmograph.ingest.reading.inputs import CompanyRefInput
from firmograph.ingest.records.company_references import company_named
from firmograph.ingest.records.preparation import Unusable

UNKNOWN_COMPANY = (
    "company: none that is held, or several of that name; load companies first, or give its domain"
)
"""Why a row is set aside whose company is not found."""

ALIASES = {
    "domain": "company.domain",
    "companydomain": "company.domain",
    "website": "company.domain",
    "companyname": "company.name",
    "linkedin": "company.linkedinUrl",
    "linkedinurl": "company.linkedinUrl",
    "companylinkedin": "company.linkedinUrl",
    "companylinkedinurl": "company.linkedinUrl",
}
"""Headers of tables that name a company (`Feed.aliases`)."""


def parse_company(value: CompanyRefInput | str | None) -> CompanyRef:
    """A company by its domain, LinkedIn page or name, or an object of these (docs/reference/import.md#files-of-facts).

    Raises Unusable when nothing names one.
    """
    ref = parse_mention(value) if isinstance(value, str) else company_named(value)
    if ref is None:
        raise Unusable("company: nothing that names one")
    return ref

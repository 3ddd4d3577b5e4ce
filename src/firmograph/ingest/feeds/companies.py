"""The company of a row of facts."""

from firmograph.directory.records import CompanyRef
from firmograph.ingest.feeds.mentions import parse_mention
from firmograph.ingest.reading.inputs import CompanyRefInput
from firmograph.ingest.records.company_references import read_company_reference
from firmograph.ingest.records.preparation import Unusable

UNKNOWN_COMPANY = "company: no record, or several of that name; import companies first, or give its domain"
"""Reject reason of a row whose company is not found."""

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
"""Table headers of companies (`Feed.aliases`)."""


def parse_company(value: CompanyRefInput | str | None) -> CompanyRef:
    """Return a company given by domain, LinkedIn page or name, or an object of these.

    Raise Unusable when nothing names one. See docs/reference/import.md#files-of-facts.
    """
    ref = parse_mention(value) if isinstance(value, str) else read_company_reference(value)
    if ref is None:
        raise Unusable("company: no name, domain or LinkedIn page")
    return ref

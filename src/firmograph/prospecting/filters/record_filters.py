"""Filters that name records by unique keys: ids, e-mails, LinkedIn URLs, domains. Malformed keys are refused.

See docs/reference/prospecting.md#values.
"""

from firmograph.directory.lookup.identifiers import (
    COMPANY_PAGE,
    DOMAIN,
    EMAIL,
    ID,
    PROFILE,
    CompanyIdentifiers,
    ContactIdentifiers,
)
from firmograph.prospecting.engines.query import Criterion, RecordNumbers
from firmograph.prospecting.filters.filter_reader import RequestPath


def contact_ids(values: list[str], path: RequestPath) -> Criterion:
    return _contacts(path, ContactIdentifiers(ids=path.parse_each(values, ID)))


def contact_emails(values: list[str], path: RequestPath) -> Criterion:
    return _contacts(path, ContactIdentifiers(emails=path.parse_each(values, EMAIL)))


def contact_linkedin_urls(values: list[str], path: RequestPath) -> Criterion:
    return _contacts(path, ContactIdentifiers(linkedin_urls=path.parse_each(values, PROFILE)))


def _contacts(path: RequestPath, given: ContactIdentifiers) -> Criterion:
    return RecordNumbers(path.resolver.contacts(given))


def company_ids(values: list[str], path: RequestPath) -> Criterion:
    return _companies(path, CompanyIdentifiers(ids=path.parse_each(values, ID)))


def company_linkedin_urls(values: list[str], path: RequestPath) -> Criterion:
    return _companies(path, CompanyIdentifiers(linkedin_urls=path.parse_each(values, COMPANY_PAGE)))


def company_domains(values: list[str], path: RequestPath) -> Criterion:
    return _companies(path, CompanyIdentifiers(domains=path.parse_each(values, DOMAIN)))


def _companies(path: RequestPath, given: CompanyIdentifiers) -> Criterion:
    return RecordNumbers(path.find_companies(given))

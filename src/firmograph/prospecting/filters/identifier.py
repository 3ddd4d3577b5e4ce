"""Filters by what names one record: ids, LinkedIn URLs, domains. A malformed one is refused (decisions B)."""

import re
from collections.abc import Callable, Sequence
from functools import partial

from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.prospecting.engines.query import Criterion, RecordNumbers
from firmograph.prospecting.filters.filter_reader import At
from firmograph.security.record_ids import RECORD_ID

_ID = re.compile(RECORD_ID)
_EXPECTED_ID = "must be a record id: `v` and a version, a point and opaque text, or digits"


def normal_each(
    values: Sequence[str], normal: Callable[[str], str | None], at: At, expected: str
) -> list[str]:
    """The values in their normal form; what has none is refused as not being what is expected."""
    found = []
    for place, value in enumerate(values):
        if (form := normal(value)) is None:
            at.at(place).refuse(expected)
        else:
            found.append(form)
    return found


def _id(text: str) -> str | None:
    return text if _ID.fullmatch(text) else None


def contact_ids(values: list[str], at: At) -> Criterion:
    return RecordNumbers(at.resolver.contacts(ids=normal_each(values, _id, at, _EXPECTED_ID)))


def company_ids(values: list[str], at: At) -> Criterion:
    return RecordNumbers(at.resolver.companies(ids=normal_each(values, _id, at, _EXPECTED_ID)))


def contact_linkedin_urls(values: list[str], at: At) -> Criterion:
    expected = "must be the URL of a LinkedIn profile, such as linkedin.com/in/jane-doe"
    slugs = normal_each(values, partial(linkedin_slug, kind="in", bare=False), at, expected)
    return RecordNumbers(at.resolver.contacts(linkedin_urls=slugs))


def company_linkedin_urls(values: list[str], at: At) -> Criterion:
    expected = "must be the LinkedIn URL of a company, such as linkedin.com/company/acme"
    slugs = normal_each(values, partial(linkedin_slug, kind="company", bare=False), at, expected)
    return RecordNumbers(at.resolver.companies(linkedin_urls=slugs))


def hosts(values: list[str], at: At) -> list[str]:
    return normal_each(values, host_of, at, "must be a domain such as example.com")


def domains(values: list[str], at: At) -> Criterion:
    return RecordNumbers(at.resolver.companies(domains=hosts(values, at)))

"""Filters by unique keys: ids, LinkedIn URLs, domains. Malformed keys are refused.

See docs/reference/prospecting.md#values.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial

from firmograph.directory.normalise.domains import host_of
from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.prospecting.engines.query import Criterion, RecordNumbers
from firmograph.prospecting.filters.filter_reader import RequestPath
from firmograph.security.record_ids import RECORD_ID

_ID = re.compile(RECORD_ID)
_EXPECTED_ID = "must be a record id: `v` and a version, a point and opaque text, or digits"


def normalise_each(
    values: Sequence[str], normal: Callable[[str], str | None], path: RequestPath, expected: str
) -> list[str]:
    """Return the normalised values; refuse values without a normal form with the expected format."""
    found = []
    for index, value in enumerate(values):
        if (form := normal(value)) is None:
            path.child(index).refuse(expected)
        else:
            found.append(form)
    return found


def _id(text: str) -> str | None:
    return text if _ID.fullmatch(text) else None


def contact_ids(values: list[str], path: RequestPath) -> Criterion:
    return RecordNumbers(path.resolver.contacts(ids=normalise_each(values, _id, path, _EXPECTED_ID)))


def company_ids(values: list[str], path: RequestPath) -> Criterion:
    return RecordNumbers(path.resolver.companies(ids=normalise_each(values, _id, path, _EXPECTED_ID)))


def contact_linkedin_urls(values: list[str], path: RequestPath) -> Criterion:
    expected = "must be the URL of a LinkedIn profile, such as linkedin.com/in/jane-doe"
    slugs = normalise_each(values, partial(linkedin_slug, kind="in", bare=False), path, expected)
    return RecordNumbers(path.resolver.contacts(linkedin_urls=slugs))


def company_linkedin_urls(values: list[str], path: RequestPath) -> Criterion:
    expected = "must be the LinkedIn URL of a company, such as linkedin.com/company/acme"
    slugs = normalise_each(values, partial(linkedin_slug, kind="company", bare=False), path, expected)
    return RecordNumbers(path.resolver.companies(linkedin_urls=slugs))


def hosts(values: list[str], path: RequestPath) -> list[str]:
    return normalise_each(values, host_of, path, "must be a domain such as example.com")


def domains(values: list[str], path: RequestPath) -> Criterion:
    return RecordNumbers(path.resolver.companies(domains=hosts(values, path)))

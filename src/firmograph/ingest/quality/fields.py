"""Fields of contacts and companies that the quality report counts, and when two sources agree on them."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from firmograph.directory.company_names import company_key
from firmograph.directory.names import fold
from firmograph.directory.records import Company, Contact
from firmograph.security.record_ids import Entity


class Field(NamedTuple):
    name: str
    value: Callable[[Any], Any]
    """Returns what a record has; an empty value counts as none."""
    compared: Callable[[Any], object] | None = fold
    """Returns what two sources must have in common to agree; None where they need not."""


def _title(record: Contact) -> str | None:
    return record.job_title.title if record.job_title else None


def _country(record: Contact | Company) -> str | None:
    return record.location.country_iso2 if record.location else None


def _city(record: Contact | Company) -> str | None:
    return record.location.city if record.location else None


def _linkedin(record: Contact | Company) -> str | None:
    return record.social_links.linkedin if record.social_links else None


_CONTACT_FIELDS: Final = (
    Field("firstName", lambda record: record.first_name),
    Field("lastName", lambda record: record.last_name),
    Field("jobTitle", _title),
    Field("department", lambda record: record.job_title and record.job_title.departments, frozenset),
    Field("seniority", lambda record: record.job_title and record.job_title.seniority),
    Field("company", lambda record: record.company and record.company.name, company_key),
    Field("companyDomain", lambda record: record.company and record.company.domain),
    Field("country", _country),
    Field("city", _city),
    Field("emails", lambda record: record.emails, lambda emails: frozenset(one.email for one in emails)),
    Field("phones", lambda record: record.phones, lambda phones: frozenset(one.number for one in phones)),
    Field("linkedinUrl", _linkedin),
)
_COMPANY_FIELDS: Final = (
    Field("name", lambda record: record.name, company_key),
    Field("domain", lambda record: record.domain),
    Field("linkedinUrl", _linkedin),
    Field("industry", lambda record: record.industry),
    Field("employeeCount", lambda record: record.employee_count, lambda size: (size.min, size.max)),
    Field("revenueRange", lambda record: record.revenue_range, lambda revenue: (revenue.min, revenue.max)),
    Field("yearFounded", lambda record: record.year_founded, lambda year: year),
    Field("country", _country),
    Field("city", _city),
    Field("description", lambda record: record.description, None),
    Field("technologies", lambda record: record.technologies, None),
    Field("phones", lambda record: record.phones, lambda phones: frozenset(one.number for one in phones)),
)
FIELDS: Final[Mapping[Entity, tuple[Field, ...]]] = {
    Entity.CONTACT: _CONTACT_FIELDS,
    Entity.COMPANY: _COMPANY_FIELDS,
}


def country_of(record: Contact | Company) -> str:
    """Return the code of a record's country; "" without one."""
    return _country(record) or ""


def agree(values: list[object]) -> bool:
    """Return whether sources agree: on one value, or lists on an item that all of them have."""
    if all(isinstance(value, frozenset) for value in values):
        return bool(frozenset.intersection(*values))  # type: ignore[arg-type]
    return len(set(values)) == 1

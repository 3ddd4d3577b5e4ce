"""Completeness of a record, the first sort key of search results.

See docs/reference/prospecting.md#order-and-pages.

Two tables, for contacts and companies, weigh each data point for somebody who wants to reach a person: ways to
reach them first, then who and where they are, then further details. The points of a record are the sum over its
data. The `score` is the same on a scale of 0 to 100.
"""

from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeVar

from firmograph.directory.records import Company, Contact

R = TypeVar("R", Contact, Company)


class Point(NamedTuple, Generic[R]):
    data: str
    points: int
    value: Callable[[R], object]


CONTACT_POINTS: Final[tuple[Point[Contact], ...]] = (
    Point("an e-mail", 20, lambda record: record.emails),
    Point("a work e-mail", 25, lambda record: any(one.type == "work" for one in record.emails)),
    Point("a phone", 10, lambda record: record.phones),
    Point(
        "a direct or mobile phone",
        25,
        lambda record: any(one.type in ("direct", "mobile") for one in record.phones),
    ),
    Point("job title", 20, lambda record: record.job_title and record.job_title.title),
    Point("company", 20, lambda record: record.company),
    Point("LinkedIn URL", 20, lambda record: record.social_links and record.social_links.linkedin),
    Point("country", 10, lambda record: record.location and record.location.country),
    Point("city", 5, lambda record: record.location and record.location.city),
    Point("first name", 5, lambda record: record.first_name),
    Point("last name", 5, lambda record: record.last_name),
    Point("seniority", 5, lambda record: record.job_title and record.job_title.seniority),
    Point("department", 5, lambda record: record.job_title and record.job_title.departments),
    Point("start of the job", 10, lambda record: record.job_title and record.job_title.start_date),
    Point("previous employment", 4, lambda record: record.previous_employment),
    Point("skills", 4, lambda record: record.skills),
    Point("education", 4, lambda record: record.education),
    Point("certifications", 2, lambda record: record.certifications),
    Point("LinkedIn connections", 1, lambda record: record.linkedin_connections),
)

COMPANY_POINTS: Final[tuple[Point[Company], ...]] = (
    Point("domain", 30, lambda record: record.domain),
    Point("name", 10, lambda record: record.name),
    Point("LinkedIn URL", 20, lambda record: record.social_links and record.social_links.linkedin),
    Point("industry", 20, lambda record: record.industry),
    Point("sub-industry", 5, lambda record: record.sub_industry),
    Point("employee count", 20, lambda record: record.employee_count),
    Point("country", 10, lambda record: record.location and record.location.country),
    Point("city", 5, lambda record: record.location and record.location.city),
    Point("description", 10, lambda record: record.description),
    Point("revenue", 10, lambda record: record.revenue_range),
    Point("technologies", 10, lambda record: record.technologies),
    Point("year founded", 5, lambda record: record.year_founded),
    Point("company type", 5, lambda record: record.company_type),
    Point("specialities or keywords", 5, lambda record: record.specialities or record.keywords),
    Point("phone", 5, lambda record: record.phones),
    Point("funding", 5, lambda record: record.funding),
    Point("SIC or NAICS code", 5, lambda record: record.sic_codes or record.naics_codes),
    Point("intent", 5, lambda record: record.intent),
    Point("business model", 3, lambda record: record.business_model),
    Point("other offices", 2, lambda record: record.additional_locations),
    Point("e-mail", 2, lambda record: record.emails),
    Point("website traffic", 2, lambda record: record.monthly_website_traffic),
    Point("open jobs", 2, lambda record: record.open_jobs),
    Point("IT spend", 2, lambda record: record.estimated_annual_it_spend),
    Point("logo", 2, lambda record: record.logo_url),
)

MAX_CONTACT_POINTS: Final = sum(one.points for one in CONTACT_POINTS)
MAX_COMPANY_POINTS: Final = sum(one.points for one in COMPANY_POINTS)


def contact_points(record: Contact) -> int:
    """Return points, 0..200."""
    return sum([one.points for one in CONTACT_POINTS if one.value(record)])


def company_points(record: Company) -> int:
    """Return points, 0..200."""
    return sum([one.points for one in COMPANY_POINTS if one.value(record)])


def scaled(points: int, maximum: int) -> int:
    """Return points as a `score` of 0..100, rounded down: 100 is a record with all data points."""
    return points * 100 // maximum

"""Completeness of a record: the first thing that orders what prospecting finds (decisions E, Order).

Two tables, one for contacts and one for companies, say what each data point counts, as somebody ranks them who
wants to reach a person: ways to reach them first, then who they are and where, then what is good to know. The
points of a record are the sum over what it holds. `score` is the same on a scale of 0 to 100.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from firmograph.directory.records import Company, Contact


class ContactPoint(NamedTuple):
    data: str
    points: int
    held: Callable[[Contact], object]


class CompanyPoint(NamedTuple):
    data: str
    points: int
    held: Callable[[Company], object]


CONTACT_POINTS: Final = (
    ContactPoint("an e-mail", 20, lambda record: record.emails),
    ContactPoint("a work e-mail", 25, lambda record: any(one.type == "work" for one in record.emails)),
    ContactPoint("a phone", 10, lambda record: record.phones),
    ContactPoint(
        "a direct or mobile phone",
        25,
        lambda record: any(one.type in ("direct", "mobile") for one in record.phones),
    ),
    ContactPoint("job title", 20, lambda record: record.job_title and record.job_title.title),
    ContactPoint("company", 20, lambda record: record.company),
    ContactPoint("LinkedIn URL", 20, lambda record: record.social_links and record.social_links.linkedin),
    ContactPoint("country", 10, lambda record: record.location and record.location.country),
    ContactPoint("city", 5, lambda record: record.location and record.location.city),
    ContactPoint("first name", 5, lambda record: record.first_name),
    ContactPoint("last name", 5, lambda record: record.last_name),
    ContactPoint("seniority", 5, lambda record: record.job_title and record.job_title.seniority),
    ContactPoint("department", 5, lambda record: record.job_title and record.job_title.departments),
    ContactPoint("start of the job", 10, lambda record: record.job_title and record.job_title.start_date),
    ContactPoint("previous employment", 4, lambda record: record.previous_employment),
    ContactPoint("skills", 4, lambda record: record.skills),
    ContactPoint("education", 4, lambda record: record.education),
    ContactPoint("certifications", 2, lambda record: record.certifications),
    ContactPoint("LinkedIn connections", 1, lambda record: record.linkedin_connections),
)

COMPANY_POINTS: Final = (
    CompanyPoint("domain", 30, lambda record: record.domain),
    CompanyPoint("name", 10, lambda record: record.name),
    CompanyPoint("LinkedIn URL", 20, lambda record: record.social_links and record.social_links.linkedin),
    CompanyPoint("industry", 20, lambda record: record.industry),
    CompanyPoint("sub-industry", 5, lambda record: record.sub_industry),
    CompanyPoint("employee count", 20, lambda record: record.employee_count),
    CompanyPoint("country", 10, lambda record: record.location and record.location.country),
    CompanyPoint("city", 5, lambda record: record.location and record.location.city),
    CompanyPoint("description", 10, lambda record: record.description),
    CompanyPoint("revenue", 10, lambda record: record.revenue_range),
    CompanyPoint("technologies", 10, lambda record: record.technologies),
    CompanyPoint("year founded", 5, lambda record: record.year_founded),
    CompanyPoint("company type", 5, lambda record: record.company_type),
    CompanyPoint("specialities or keywords", 5, lambda record: record.specialities or record.keywords),
    CompanyPoint("phone", 5, lambda record: record.phones),
    CompanyPoint("funding", 5, lambda record: record.funding),
    CompanyPoint("SIC or NAICS code", 5, lambda record: record.sic_codes or record.naics_codes),
    CompanyPoint("intent", 5, lambda record: record.intent),
    CompanyPoint("business model", 3, lambda record: record.business_model),
    CompanyPoint("other offices", 2, lambda record: record.additional_locations),
    CompanyPoint("e-mail", 2, lambda record: record.emails),
    CompanyPoint("website traffic", 2, lambda record: record.monthly_website_traffic),
    CompanyPoint("open jobs", 2, lambda record: record.open_jobs),
    CompanyPoint("IT spend", 2, lambda record: record.estimated_annual_it_spend),
    CompanyPoint("logo", 2, lambda record: record.logo_url),
)

MOST_CONTACT_POINTS: Final = sum(one.points for one in CONTACT_POINTS)
MOST_COMPANY_POINTS: Final = sum(one.points for one in COMPANY_POINTS)


def contact_points(record: Contact) -> int:
    """0..200."""
    return sum([one.points for one in CONTACT_POINTS if one.held(record)])


def company_points(record: Company) -> int:
    """0..200."""
    return sum([one.points for one in COMPANY_POINTS if one.held(record)])


def scaled(points: int, most: int) -> int:
    """Points as a `score` of 0..100, rounded down: 100 is a record that lacks nothing."""
    return points * 100 // most

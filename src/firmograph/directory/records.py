"""Canonical records of contacts and companies, written by imports and read everywhere else.

See docs/reference/lookups.md#enriched-contact.

Field names are those of the API in snake case; JSON has them in camel case. Absent values are omitted. Values are
normalised: e-mails lower case, phones E.164, domains as hosts in lower-case ASCII, LinkedIn as full canonical URLs,
countries with name and ISO 3166-1 code, dates `YYYY-MM-DD`.
"""

from typing import Any

import msgspec

DIRECT_PARENT, ULTIMATE_PARENT = 1, 2
"""Bits of an owner's role; an owner without a known role has neither."""


class _Part(msgspec.Struct, omit_defaults=True, rename="camel"):
    """Part of a record; its JSON omits unset values."""


def _always(value: Any) -> Any:
    """Return a field with a default that JSON includes: the API always has the field."""
    return msgspec.field(default_factory=lambda: value)


class Location(_Part):
    country: str | None = None
    """English short name."""
    country_iso2: str | None = None
    state: str | None = None
    state_code: str | None = None
    """ISO 3166-2 code of the subdivision without its country, `CA` for California."""
    city: str | None = None
    zip_code: str | None = None
    continent: str | None = None
    coordinates: tuple[float, float] | None = None
    """Longitude and latitude, in degrees."""
    is_eu_contact: bool | None = None


class JobTitle(_Part):
    title: str = ""
    departments: list[str] = []
    seniority: str | None = None
    """Display label of `vocabulary.SENIORITIES`."""
    start_date: str | None = None


class Email(_Part):
    email: str
    type: str = _always("unknown")
    """work, private or unknown."""
    confidence: str | None = None
    update_date: str | None = None
    data_source: str | None = None


class Phone(_Part):
    number: str
    """E.164."""
    type: str = _always("unknown")
    """mobile, direct, work or unknown."""
    do_not_call: bool = _always(False)
    country_iso2: str | None = None
    update_date: str | None = None
    data_source: str | None = None


class CompanyRef(_Part):
    """Reference to a company in another record, with or without a link."""

    name: str | None = None
    domain: str | None = None
    linkedin_url: str | None = None
    country_iso2: str | None = None
    id: int | None = None
    """Number of the linked company record, set on import; never shown."""
    token: str | None = None
    """Its id in the responses of the installation that the row comes from; never shown."""


class PastJob(_Part):
    company: CompanyRef
    job_title: JobTitle | None = None


class SocialLinks(_Part):
    linkedin: str | None = None
    x_url: str | None = None


class Tag(_Part):
    id: str
    name: str
    color: str


class Education(_Part):
    school: str | None = None
    degree: str | None = None
    field_of_study: str | None = None
    start_year: int | None = None
    graduation_year: int | None = None


class Contact(_Part):
    """One person at one employer."""

    first_name: str | None = None
    last_name: str | None = None
    full_name: str | None = None
    job_title: JobTitle | None = None
    location: Location | None = None
    tags: list[Tag] = []
    social_links: SocialLinks | None = None
    linkedin_connections: int | None = None
    linkedin_followers: int | None = None
    update_date: str | None = None
    emails: list[Email] = []
    phones: list[Phone] = []
    company: CompanyRef | None = None
    previous_employment: list[PastJob] = []
    skills: list[str] = []
    certifications: list[str] = []
    awards: list[str] = []
    previous_emails: list[str] = []
    education: list[Education] = []


class Count(_Part):
    exact: int | None = None
    min: int | None = None
    max: int | None = None


class Revenue(_Part):
    """US dollars a year."""

    min: float | None = None
    max: float | None = None


class Industry(_Part):
    industry: str
    sub_industry: str | None = None


class Code(_Part):
    code: int
    description: str = ""


class FundingRound(_Part):
    currency: str | None = None
    round_amount: float | None = None
    round_type: str | None = None
    round_date: str | None = None
    """`Mon D, YYYY`, as in the API."""
    name: str | None = None
    investors: list[str] = []


class Funding(_Part):
    rounds: list[FundingRound] = []
    total_rounds: int | None = None
    total_rounds_amount: float | None = None
    currency: str | None = None
    is_ipo: bool | None = None
    last_round_type: str | None = None
    last_round_amount: float | None = None
    last_round_date: str | None = None


class CompanyLinks(_Part):
    linkedin: str | None = None
    facebook: str | None = None
    x: str | None = None
    instagram: list[str] = []
    youtube: list[str] = []
    tiktok: list[str] = []


class PhoneNumber(_Part):
    number: str


class EmailAddress(_Part):
    email: str


class DepartmentCount(_Part):
    department: str
    count: int


class LocationCount(_Part):
    country: str
    count: int
    state: str | None = None


class SeniorityCount(_Part):
    seniority: str
    count: int


class OpenJobs(_Part):
    total: int | None = None
    by_department: list[DepartmentCount] = []
    by_location: list[LocationCount] = []
    by_seniority: list[SeniorityCount] = []


class ItSpend(_Part):
    value: float
    currency: str
    value_usd: float | None = None


class Traffic(_Part):
    visits: float
    mom_change_percent: float | None = None
    month: str | None = None
    """`YYYY-MM`."""


class Company(_Part):
    """One organisation."""

    name: str | None = None
    alternative_name: str | None = None
    alternative_names: list[str] = []
    """All other names; `alternative_name` is the first of them."""
    domain: str | None = None
    """Exact host without `www.`."""
    alternative_domains: list[str] = []
    description: str | None = None
    company_offering: str | None = None
    company_type: str | None = None
    year_founded: int | None = None
    employee_count: Count | None = None
    industry: str | None = None
    sub_industry: str | None = None
    additional_industries: list[Industry] = []
    specialities: list[str] = []
    specialities_refactored: list[str] = []
    industry_tags: list[str] = []
    keywords: list[str] = []
    sic_codes: list[Code] = []
    naics_codes: list[Code] = []
    email_domain: str | None = None
    homepage_url: str | None = None
    location: Location | None = None
    additional_locations: list[Location] = []
    social_links: CompanyLinks | None = None
    linkedin_followers: int | None = None
    revenue_range: Revenue | None = None
    funding: Funding | None = None
    technologies: list[str] = []
    popularity_tier: int | None = None
    logo_url: str | None = None
    business_model: list[str] = []
    phones: list[PhoneNumber] = []
    emails: list[EmailAddress] = []
    employees_by_department: list[DepartmentCount] = []
    employees_by_location: list[LocationCount] = []
    employees_by_seniority: list[SeniorityCount] = []
    competitors: list[CompanyRef] = []
    intent: dict[str, Any] | None = None
    estimated_annual_it_spend: ItSpend | None = None
    monthly_website_traffic: Traffic | None = None
    open_jobs: OpenJobs | None = None
    parents: list[CompanyRef] = []
    """Owners without a known role."""
    direct_parent: CompanyRef | None = None
    ultimate_parent: CompanyRef | None = None
    stock_symbols: list[str] = []
    """Stored, never shown."""
    ipo_date: str | None = None
    """Stored, never shown."""
    update_date: str | None = None
    stub: bool = False
    """Known only from other records so far."""

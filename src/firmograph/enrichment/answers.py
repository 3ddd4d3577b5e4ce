"""Response structures of search, enrich, and search-and-enrich (docs/reference/lookups.md#enriched-contact).

Responses are assembled from stored JSON parts (`record_renderer.py`); these structs describe them in the OpenAPI
document, and tests check responses against them.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from firmograph.api.envelope import Billing, ItemError
from firmograph.directory import records
from firmograph.directory.previews import (
    CanReveal,
    CompanyLocation,
    CompanyPreview,
    ContactPreview,
    Employer,
    Has,
    PreviewLinks,
    PreviewLocation,
    ResponsePart,
    Results,
    Title,
    Token,
)
from firmograph.table_rows import TableWrite


class FoundContact(ContactPreview):
    client_reference_id: str | UnsetType = UNSET


class FoundCompany(CompanyPreview):
    client_reference_id: str | UnsetType = UNSET


class ContactLocation(PreviewLocation):
    country_iso2: str | UnsetType = UNSET
    continent: str | UnsetType = UNSET
    coordinates: Annotated[tuple[float, float], Meta(description="Longitude, latitude")] | UnsetType = UNSET
    is_eu_contact: bool | UnsetType = UNSET


class ContactLinks(PreviewLinks):
    x_url: str | UnsetType = UNSET


class FormerEmployer(ResponsePart):
    name: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET


class FormerJob(ResponsePart):
    company: FormerEmployer
    job_title: Title | UnsetType = UNSET


class EnrichedContact(ResponsePart):
    """Enriched contact; `emails` and `phones` are present if requested, empty without values."""

    id: Token
    has: Has
    can_reveal: CanReveal
    client_reference_id: str | UnsetType = UNSET
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    full_name: str | UnsetType = UNSET
    job_title: Title | UnsetType = UNSET
    location: ContactLocation | UnsetType = UNSET
    tags: list[records.Tag] | UnsetType = UNSET
    emails: list[records.Email] | UnsetType = UNSET
    phones: list[records.Phone] | UnsetType = UNSET
    company: Employer | UnsetType = UNSET
    social_links: ContactLinks | UnsetType = UNSET
    previous_employment: list[FormerJob] | UnsetType = UNSET
    update_date: str | UnsetType = UNSET
    partial_profile: bool | UnsetType = UNSET
    linkedin_connections: int | UnsetType = UNSET
    linkedin_followers: int | UnsetType = UNSET


_Credits = Annotated[
    int, Meta(ge=0, description="What this call has paid; on the first value of a data point")
]


class SourcedEmail(records.Email):
    """E-mail with its source: a provider, or the brand in lower case for own data."""

    credits: _Credits | UnsetType = UNSET


class SourcedPhone(records.Phone):
    """Phone with its source."""

    credits: _Credits | UnsetType = UNSET


class MissingDataPoint(ResponsePart):
    type: Literal["email", "phone"]
    status: Annotated[
        Literal["NOT_FOUND", "BILLING_FAILED"],
        Meta(description="`BILLING_FAILED`: too few credits, or a cap, for the price of a provider"),
    ]


class SourcedContact(EnrichedContact):
    """Enriched contact; of an account with other providers with the source of each value."""

    emails: list[SourcedEmail] | UnsetType = UNSET  # type: ignore[assignment]
    phones: list[SourcedPhone] | UnsetType = UNSET  # type: ignore[assignment]
    missing_data_points: list[MissingDataPoint] | UnsetType = UNSET


class EnrichJob(ResponsePart):
    id: str
    status: Literal["processing"]
    expires_at: str
    retry_after: Annotated[int, Meta(description="Seconds until the first poll")]


class CompanyAddress(CompanyLocation):
    zip_code: str | UnsetType = UNSET


class Owner(ResponsePart):
    lusha_company_id: Token
    name: str
    domain: str | UnsetType = UNSET
    hq_country: str | UnsetType = UNSET


class Competitor(ResponsePart):
    id: Token
    name: str
    domain: str | UnsetType = UNSET


class CompanySocialLinks(ResponsePart):
    linkedin: str | UnsetType = UNSET
    facebook: str | UnsetType = UNSET
    x: str | UnsetType = UNSET
    instagram: list[str] | UnsetType = UNSET
    youtube: list[str] | UnsetType = UNSET
    tiktok: list[str] | UnsetType = UNSET


class EnrichedCompany(ResponsePart):
    """Enriched company; fields from `employeesByDepartment` on are present only if named in `reveal`."""

    id: Token
    name: str
    has: Has
    can_reveal: CanReveal
    client_reference_id: str | UnsetType = UNSET
    alternative_name: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET
    alternative_domains: list[str] | UnsetType = UNSET
    description: str | UnsetType = UNSET
    company_offering: str | UnsetType = UNSET
    company_type: str | UnsetType = UNSET
    year_founded: int | UnsetType = UNSET
    employee_count: records.Count | UnsetType = UNSET
    industry: str | UnsetType = UNSET
    sub_industry: str | UnsetType = UNSET
    additional_industries: list[records.Industry] | UnsetType = UNSET
    specialities: list[str] | UnsetType = UNSET
    specialities_refactored: list[str] | UnsetType = UNSET
    industry_tags: list[str] | UnsetType = UNSET
    keywords: list[str] | UnsetType = UNSET
    sic_codes: list[records.Code] | UnsetType = UNSET
    naics_codes: list[records.Code] | UnsetType = UNSET
    email_domain: str | UnsetType = UNSET
    homepage_url: str | UnsetType = UNSET
    location: CompanyAddress | UnsetType = UNSET
    additional_locations: list[CompanyAddress] | UnsetType = UNSET
    social_links: CompanySocialLinks | UnsetType = UNSET
    linkedin_followers: int | UnsetType = UNSET
    revenue_range: records.Revenue | UnsetType = UNSET
    funding: dict[str, Any] | UnsetType = UNSET
    technologies: list[str] | UnsetType = UNSET
    popularity_tier: int | UnsetType = UNSET
    logo_url: str | UnsetType = UNSET
    business_model: list[str] | UnsetType = UNSET
    phones: list[records.PhoneNumber] | UnsetType = UNSET
    emails: list[records.EmailAddress] | UnsetType = UNSET
    update_date: str | UnsetType = UNSET
    partial_profile: bool | UnsetType = UNSET
    employees_by_department: list[records.DepartmentCount] | UnsetType = UNSET
    employees_by_location: list[records.LocationCount] | UnsetType = UNSET
    employees_by_seniority: list[records.SeniorityCount] | UnsetType = UNSET
    competitors: list[Competitor] | UnsetType = UNSET
    intent: dict[str, Any] | UnsetType = UNSET
    estimated_annual_it_spend: records.ItSpend | UnsetType = UNSET
    monthly_website_traffic: records.Traffic | UnsetType = UNSET
    open_jobs: records.OpenJobs | UnsetType = UNSET
    direct_parent: Owner | UnsetType | None = UNSET
    ultimate_parent: Owner | UnsetType | None = UNSET


class ContactSearchAnswer(Results):
    results: list[FoundContact | ItemError]
    billing: Billing


class ContactEnrichAnswer(Results, kw_only=True):
    """Answer of contact enrich; only accounts with other providers have `status` to `job`."""

    results: list[SourcedContact | ItemError]
    status: (
        Literal["completed", "partial", "halted", "OUT_OF_CREDITS", "PARTIAL_OUT_OF_CREDITS"] | UnsetType
    ) = UNSET
    status_description: str | UnsetType = UNSET
    status_reason: Literal["CREDITS", "PROVIDERS", "PENDING"] | UnsetType = UNSET
    job: Annotated[EnrichJob, Meta(description="What is still asked for")] | UnsetType = UNSET
    table_write: TableWrite | UnsetType = UNSET
    billing: Billing


class ContactSearchAndEnrichAnswer(Results):
    results: list[EnrichedContact | ItemError]
    billing: Billing


class CompanySearchAnswer(Results):
    results: list[FoundCompany | ItemError]
    billing: Billing


class CompanyEnrichAnswer(Results, kw_only=True):
    results: list[EnrichedCompany | ItemError]
    table_write: TableWrite | UnsetType = UNSET
    billing: Billing


class CompanySearchAndEnrichAnswer(Results):
    results: list[EnrichedCompany | ItemError]
    billing: Billing

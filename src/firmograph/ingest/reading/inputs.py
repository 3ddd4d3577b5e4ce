"""Types of native rows in their full and short forms.

Unknown fields are ignored and null means absent. Numbers may be text, because CSV has nothing else. A value of the
wrong type is dropped (`conversion`).
"""

from typing import Any

import msgspec

Text = str | None
Scalar = str | int | float | None
"""A number that may be written as text, or a code that a table reader may return as a number."""
Texts = list[str | None] | str | None
"""A list, or one text with its items separated by `;`, `|`, line ends or commas."""


class _Input(msgspec.Struct, rename="camel", gc=False):
    pass


class LocationInput(_Input):
    country: Text = None
    country_iso2: Text = None
    state: Text = None
    state_code: Text = None
    city: Text = None
    zip_code: Scalar = None
    continent: Text = None
    coordinates: list[float] | None = None


class JobTitleInput(_Input):
    title: Text = None
    departments: Texts = None
    seniority: Scalar = None
    start_date: Scalar = None


class CompanyRefInput(_Input):
    id: Any = None
    lusha_company_id: Any = None
    name: Text = None
    domain: Text = None
    linkedin_url: Text = None
    country: Text = None
    country_iso2: Text = None
    hq_country: Text = None


class EmailInput(_Input):
    email: Text = None
    type: Text = None
    confidence: Scalar = None
    update_date: Scalar = None
    data_source: Text = None


class PhoneInput(_Input):
    number: Scalar = None
    type: Text = None
    do_not_call: bool | Scalar = None
    update_date: Scalar = None
    data_source: Text = None
    country_iso2: Text = None


class TagInput(_Input):
    id: Scalar = None
    name: Text = None
    color: Text = None


class SocialLinksInput(_Input):
    linkedin: Text = None
    x_url: Text = None


class PastJobInput(_Input):
    company: CompanyRefInput | str | None = None
    job_title: JobTitleInput | str | None = None


class EducationInput(_Input):
    school: Text = None
    degree: Text = None
    field_of_study: Text = None
    start_year: Scalar = None
    graduation_year: Scalar = None


class ContactInput(_Input):
    source_id: Scalar = None
    id: Any = None
    """A record id from an answer of this service serves as `sourceId`."""
    deleted: bool | Scalar = None
    """Whether the exporting program marks the row as deleted."""
    first_name: Text = None
    last_name: Text = None
    full_name: Text = None
    job_title: JobTitleInput | str | None = None
    location: LocationInput | str | None = None
    tags: list[TagInput] | None = None
    social_links: SocialLinksInput | None = None
    linkedin_url: Text = None
    linkedin_connections: Scalar = None
    linkedin_followers: Scalar = None
    update_date: Scalar = None
    emails: list[EmailInput | str | None] | str | None = None
    phones: list[PhoneInput | Scalar] | Scalar = None
    do_not_call: list[bool | Scalar] | bool | Scalar = None
    """Mark for all numbers; of several marks a true one wins."""
    opted_out: list[bool | Scalar] | bool | Scalar = None
    """Whether the person objects to be contacted; of several marks a true one wins."""
    opted_in: list[bool | Scalar] | bool | Scalar = None
    """Whether the person agrees to be contacted; of several marks a false one wins."""
    company: CompanyRefInput | str | None = None
    personal_site: Text = None
    """A site of the employer or a private one, from address books; e-mails of the row decide which."""
    employer: "CompanyInput | None" = None
    """Further data of the company, as in a row of companies."""
    previous_employment: list[PastJobInput] | None = None
    skills: Texts = None
    certifications: Texts = None
    awards: Texts = None
    previous_emails: Texts = None
    education: list[EducationInput] | None = None


class IndustryInput(_Input):
    industry: Text = None
    sub_industry: Text = None


class CodeInput(_Input):
    code: Scalar = None
    description: Text = None


class RoundInput(_Input):
    currency: Text = None
    round_amount: Scalar = None
    round_type: Text = None
    round_date: Scalar = None
    name: Text = None
    investors: Texts = None


class FundingInput(_Input):
    rounds: list[RoundInput] | None = None
    total_rounds: Scalar = None
    total_rounds_amount: Scalar = None
    currency: Text = None
    is_ipo: bool | Scalar = None
    last_round_type: Text = None
    last_round_amount: Scalar = None
    last_round_date: Scalar = None


class CompanyLinksInput(_Input):
    linkedin: Text = None
    facebook: Text = None
    x: Text = None
    instagram: Texts = None
    youtube: Texts = None
    tiktok: Texts = None


class DepartmentCountInput(_Input):
    department: Text = None
    count: Scalar = None


class LocationCountInput(_Input):
    country: Text = None
    state: Text = None
    count: Scalar = None


class SeniorityCountInput(_Input):
    seniority: Scalar = None
    count: Scalar = None


class OpenJobsInput(_Input):
    total: Scalar = None
    by_department: list[DepartmentCountInput] | None = None
    by_location: list[LocationCountInput] | None = None
    by_seniority: list[SeniorityCountInput] | None = None


class ItSpendInput(_Input):
    value: Scalar = None
    currency: Text = None
    value_usd: Scalar = None


class TrafficInput(_Input):
    visits: Scalar = None
    mom_change_percent: Scalar = None
    month: Scalar = None


class TopicMetadataInput(_Input):
    topic_score: Scalar = None
    topic_trend: Scalar = None


class TopicInput(_Input):
    topic_name: Text = None
    metadata: TopicMetadataInput | None = None


class IntentInput(_Input):
    detected_topics: list[TopicInput] | None = None
    topic_count: Scalar = None


AnyCompanyRef = CompanyRefInput | str | None
Codes = list[CodeInput | Scalar] | Scalar


class CompanyInput(_Input):
    source_id: Scalar = None
    id: Any = None
    deleted: bool | Scalar = None
    partial_profile: Any = None
    name: Text = None
    alternative_name: Text = None
    alternative_names: Texts = None
    domain: Text = None
    alternative_domains: Texts = None
    linkedin_url: Text = None
    description: Text = None
    company_offering: Text = None
    company_type: Text = None
    year_founded: Scalar = None
    employee_count: dict[str, Any] | Scalar = None
    industry: Text = None
    sub_industry: Text = None
    additional_industries: list[IndustryInput | str] | None = None
    specialities: Texts = None
    specialities_refactored: Texts = None
    industry_tags: Texts = None
    keywords: Texts = None
    sic_codes: Codes = None
    naics_codes: Codes = None
    email_domain: Text = None
    homepage_url: Text = None
    location: LocationInput | str | None = None
    additional_locations: list[LocationInput | str] | None = None
    social_links: CompanyLinksInput | None = None
    linkedin_followers: Scalar = None
    revenue_range: dict[str, Any] | Scalar = None
    funding: FundingInput | None = None
    technologies: Texts = None
    popularity_tier: Scalar = None
    logo_url: Text = None
    business_model: Texts = None
    phones: list[PhoneInput | Scalar] | Scalar = None
    emails: list[EmailInput | str | None] | str | None = None
    employees_by_department: list[DepartmentCountInput] | None = None
    employees_by_location: list[LocationCountInput] | None = None
    employees_by_seniority: list[SeniorityCountInput] | None = None
    competitors: list[AnyCompanyRef] | None = None
    intent: IntentInput | None = None
    estimated_annual_it_spend: ItSpendInput | None = None
    monthly_website_traffic: TrafficInput | None = None
    open_jobs: OpenJobsInput | None = None
    parents: list[AnyCompanyRef] | None = None
    direct_parent: AnyCompanyRef = None
    ultimate_parent: AnyCompanyRef = None
    stock_symbol: Texts = None
    stock_symbols: Texts = None
    ipo_date: Scalar = None
    update_date: Scalar = None

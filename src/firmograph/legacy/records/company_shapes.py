"""Shapes of a company in legacy answers (docs/reference/legacy.md#companies).

Absent values are left out. `crunchbase` and values that no record holds are never there.
"""

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.previews import ResponsePart

CompanyNumber = Annotated[int, Meta(ge=0, description="Legacy numeric id of the company")]
TwoNumbers = Annotated[list[int], Meta(min_length=2, max_length=2, description="Lower and upper bound")]
SizeText = Annotated[str, Meta(description="Employees, as `201 - 500`")]
RevenueRange = Annotated[
    list[int], Meta(min_length=2, max_length=2, description="US dollars a year, lower and upper bound")
]
Intent = Annotated[
    dict[str, Any], Meta(description="Only if a current call has paid for `intent` of this company")
]


class LegacyTechnology(ResponsePart):
    name: str


class LegacySicCode(ResponsePart):
    sic_codes: int
    description: str


class LegacyNaicsCode(ResponsePart):
    naics_codes: int
    description: str


class LegacyIndustryCodes(ResponsePart):
    sic_codes: list[LegacySicCode] | UnsetType = UNSET
    naics_codes: list[LegacyNaicsCode] | UnsetType = UNSET


class LegacyCompanyDomains(ResponsePart):
    homepage: str | UnsetType = UNSET
    email: str | UnsetType = UNSET


class LegacyCompanyLocation(ResponsePart):
    city: str | UnsetType = UNSET
    country: str | UnsetType = UNSET
    full_location: Annotated[str, Meta(description="City, state and country")] | UnsetType = UNSET
    state: str | UnsetType = UNSET
    state_code: str | UnsetType = UNSET
    country_iso2: str | UnsetType = UNSET
    continent: str | UnsetType = UNSET
    raw_location: Annotated[str, Meta(description="The same as `fullLocation`")] | UnsetType = UNSET


class LegacyOffice(ResponsePart):
    """Further office of a company."""

    city: str | UnsetType = UNSET
    country: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    state_code: str | UnsetType = UNSET
    country_iso2: str | UnsetType = UNSET
    continent: str | UnsetType = UNSET
    zip_code: str | UnsetType = UNSET
    raw_location: str | UnsetType = UNSET


class LegacySize(ResponsePart, rename=None):
    min: int | UnsetType = UNSET
    max: int | UnsetType = UNSET
    employees_in_linkedin: Annotated[int, Meta(description="The exact figure")] | UnsetType = UNSET


class LegacyLink(ResponsePart):
    url: str


class LegacyLinks(ResponsePart):
    linkedin: LegacyLink | UnsetType = UNSET
    twitter: LegacyLink | UnsetType = UNSET
    facebook: LegacyLink | UnsetType = UNSET


class LegacyPlainLinks(ResponsePart):
    linkedin: str | UnsetType = UNSET
    twitter: str | UnsetType = UNSET
    facebook: str | UnsetType = UNSET


class _Firmographics(ResponsePart, kw_only=True):
    """Members of every whole company."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    fqdn: str | UnsetType = UNSET
    logo_url: str | UnsetType = UNSET
    revenue_range: RevenueRange | UnsetType = UNSET
    main_industry: str | UnsetType = UNSET
    sub_industry: str | UnsetType = UNSET
    specialities: list[str] | UnsetType = UNSET
    technologies: list[LegacyTechnology] | UnsetType = UNSET
    funding: dict[str, Any] | UnsetType = UNSET
    intent: Intent | UnsetType = UNSET
    industry_primary_group_details: LegacyIndustryCodes | UnsetType = UNSET


class LegacyPersonCompany(_Firmographics, kw_only=True):
    """Employer of a person: whole next to paid data points, else name, domain and industry."""

    domains: LegacyCompanyDomains | UnsetType = UNSET
    homepage_url: str | UnsetType = UNSET
    location: LegacyCompanyLocation | UnsetType = UNSET
    company_size: TwoNumbers | UnsetType = UNSET
    social: LegacyPlainLinks | UnsetType = UNSET


class _Profile(_Firmographics, kw_only=True):
    """Members of companies that were asked for by name."""

    founded: int | UnsetType = UNSET
    linkedin_followers: int | UnsetType = UNSET
    email_domain: str | UnsetType = UNSET
    company_locations: list[LegacyOffice] | UnsetType = UNSET
    alternative_name: str | UnsetType = UNSET
    company_type: str | UnsetType = UNSET
    lusha_popularity_tier: int | UnsetType = UNSET


class LegacyCompany(_Profile, kw_only=True):
    """Company of `GET /v2/company`, empty without a match; signals of requested types stand under their names."""

    id: CompanyNumber | UnsetType = UNSET
    domain: str | UnsetType = UNSET
    employees: SizeText | UnsetType = UNSET
    company_size: LegacySize | UnsetType = UNSET
    social: LegacyLinks | UnsetType = UNSET
    address: Annotated[str, Meta(description="The same as `location.fullLocation`")] | UnsetType = UNSET
    location: LegacyCompanyLocation | UnsetType = UNSET
    categories: Annotated[list[str], Meta(description="Industry tags")] | UnsetType = UNSET
    website: str | UnsetType = UNSET


class LegacyBulkCompany(_Profile, kw_only=True):
    """Company of a batch; signals of requested types stand under their names."""

    id: Annotated[str, Meta(description="Your own key")]
    lusha_company_id: CompanyNumber
    company_size: TwoNumbers | UnsetType = UNSET
    employees_in_linkedin: Annotated[int, Meta(description="The exact figure")] | UnsetType = UNSET
    linkedin: str | UnsetType = UNSET
    city: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    country: str | UnsetType = UNSET
    country_iso2: str | UnsetType = UNSET
    continent: str | UnsetType = UNSET
    raw_location: str | UnsetType = UNSET


class LegacyProspectedCompany(_Profile, kw_only=True):
    """Company of `POST /prospecting/company/enrich`; signals of requested types stand under their names."""

    id: Annotated[str, Meta(description="Legacy id, as text")]
    company_size: LegacySize | UnsetType = UNSET
    employees: SizeText | UnsetType = UNSET
    domains: LegacyCompanyDomains | UnsetType = UNSET
    industry_tags: list[str] | UnsetType = UNSET
    social: LegacyLinks | UnsetType = UNSET
    city: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    state_code: str | UnsetType = UNSET
    country: str | UnsetType = UNSET
    country_iso2: str | UnsetType = UNSET
    continent: str | UnsetType = UNSET
    raw_location: str | UnsetType = UNSET
    coordinates: Annotated[list[float], Meta(description="Longitude, latitude")] | UnsetType = UNSET


class LegacyProspectedEmployer(ResponsePart, kw_only=True):
    """Employer of a person of `POST /prospecting/contact/enrich`."""

    revenue_range: RevenueRange | UnsetType = UNSET
    funding: dict[str, Any] | UnsetType = UNSET
    intent: Intent | UnsetType = UNSET
    main_industry: str | UnsetType = UNSET
    sub_industry: str | UnsetType = UNSET
    technologies: list[LegacyTechnology] | UnsetType = UNSET

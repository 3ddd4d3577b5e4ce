"""Responses of prospecting and of its filters."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from firmograph.api.envelope import Billing
from firmograph.directory.previews import CompanyPreview, ContactPreview, Results, Shown


class PageInfo(Shown, kw_only=True):
    """Page number, page size and total of results."""

    page: int
    size: int
    total: Annotated[int, Meta(description="Exact, after `maxContactsPerCompany`")]
    total_guaranteed: Annotated[bool, Meta(description="Always true: the total is exact")]
    total_description: (
        Annotated[str, Meta(description="What the total counts; only with `maxContactsPerCompany`")]
        | UnsetType
    ) = UNSET


class ContactProspectingAnswer(Results):
    results: list[ContactPreview]
    pagination: PageInfo
    billing: Billing


class CompanyProspectingAnswer(Results):
    results: list[CompanyPreview]
    pagination: PageInfo
    billing: Billing


# --- Filters ---


class AvailableFilter(Shown):
    filter_type: str
    requires_query: bool


class AvailableFilters(Shown):
    available_filters: list[AvailableFilter]


class SeniorityOption(Shown):
    id: int
    name: str


class CountryOption(Shown):
    name: str
    code: Annotated[str, Meta(description="ISO 3166-1 alpha-2")]


class PlaceOption(Shown, rename=None):
    """A country, a state or a city. Names and keys are as the filter takes them."""

    continent: str | UnsetType = UNSET
    country: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    city: str | UnsetType = UNSET
    country_grouping: str | UnsetType = UNSET


class CompanyNameOption(Shown):
    company_id: str
    name: str
    logo_url: str | UnsetType = UNSET
    fqdn: str | UnsetType = UNSET


class TechnologyOption(Shown):
    name: str


class RangeOption(Shown):
    """A band of the catalogue; the last has no `max`."""

    min: int
    max: int | UnsetType = UNSET


class SubIndustryOption(Shown):
    value: str
    id: int


class IndustryOption(Shown, rename=None):
    main_industry: str
    main_industry_id: int
    sub_industries: list[SubIndustryOption]


class CodeOption(Shown):
    code: str
    label: str


class TextValues(Shown):
    values: list[str]


class SeniorityValues(Shown):
    values: list[SeniorityOption]


class CountryValues(Shown):
    values: list[CountryOption]


class PlaceValues(Shown):
    values: list[PlaceOption]


class CompanyNameValues(Shown):
    values: list[CompanyNameOption]


class TechnologyValues(Shown):
    values: list[TechnologyOption]


class RangeValues(Shown):
    values: list[RangeOption]


class IndustryValues(Shown):
    values: list[IndustryOption]


class CodeValues(Shown):
    values: list[CodeOption]

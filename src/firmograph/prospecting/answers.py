"""Responses of prospecting and of its filters."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.api.envelope import Billing
from firmograph.directory.previews import CompanyPreview, ContactPreview, ResponsePart, Results
from firmograph.table_rows import TableWrite


class PageInfo(ResponsePart, kw_only=True):
    """Page number, page size and total of results."""

    page: int
    size: int
    total: Annotated[int, Meta(description="Exact, after `maxContactsPerCompany`")]
    total_guaranteed: Annotated[bool, Meta(description="Always true: the total is exact")]
    total_description: (
        Annotated[str, Meta(description="What the total counts; only with `maxContactsPerCompany`")]
        | UnsetType
    ) = UNSET


class ContactProspectingAnswer(Results, kw_only=True):
    results: list[ContactPreview]
    pagination: PageInfo
    table_write: TableWrite | UnsetType = UNSET
    billing: Billing


class CompanyProspectingAnswer(Results, kw_only=True):
    results: list[CompanyPreview]
    pagination: PageInfo
    table_write: TableWrite | UnsetType = UNSET
    billing: Billing


# --- Filters ---


class AvailableFilter(ResponsePart):
    filter_type: str
    requires_query: bool


class AvailableFilters(ResponsePart):
    available_filters: list[AvailableFilter]


class SeniorityOption(ResponsePart):
    id: int
    name: str


class CountryOption(ResponsePart):
    name: str
    code: Annotated[str, Meta(description="ISO 3166-1 alpha-2")]


class PlaceOption(ResponsePart, rename=None):
    """A country, a state or a city. Names and keys are as the filter takes them."""

    continent: str | UnsetType = UNSET
    country: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    city: str | UnsetType = UNSET
    country_grouping: str | UnsetType = UNSET


class CompanyNameOption(ResponsePart):
    company_id: str
    name: str
    logo_url: str | UnsetType = UNSET
    fqdn: str | UnsetType = UNSET


class TechnologyOption(ResponsePart):
    name: str


class RangeOption(ResponsePart):
    """A band of the catalogue; the last has no `max`."""

    min: int
    max: int | UnsetType = UNSET


class SubIndustryOption(ResponsePart):
    value: str
    id: int


class IndustryOption(ResponsePart, rename=None):
    main_industry: str
    main_industry_id: int
    sub_industries: list[SubIndustryOption]


class CodeOption(ResponsePart):
    code: str
    label: str


class TextValues(ResponsePart):
    values: list[str]


class SeniorityValues(ResponsePart):
    values: list[SeniorityOption]


class CountryValues(ResponsePart):
    values: list[CountryOption]


class PlaceValues(ResponsePart):
    values: list[PlaceOption]


class CompanyNameValues(ResponsePart):
    values: list[CompanyNameOption]


class TechnologyValues(ResponsePart):
    values: list[TechnologyOption]


class RangeValues(ResponsePart):
    values: list[RangeOption]


class IndustryValues(ResponsePart):
    values: list[IndustryOption]


class CodeValues(ResponsePart):
    values: list[CodeOption]


class SearchHealth(msgspec.Struct):
    state: Literal["loading", "rebuilding", "ready"]
    """State of the search index; prospecting responds 503 until it is `ready`."""
    applied: int
    """Position in the change sequence up to which changes are searchable."""
    head: int
    """End of the change sequence."""

"""Requests of the legacy searches (docs/reference/legacy.md#search).

Unknown properties are refused; empty objects and lists count as absent.
"""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from firmograph.directory.vocabulary import SENIORITIES
from firmograph.legacy.requested_signals import Day
from firmograph.legacy.signal_shapes import CompanyTypes
from firmograph.prospecting.filters import value_shapes as of
from firmograph.prospecting.filters.requests import EmployeeSide, ExcludeDnc
from firmograph.prospecting.filters.shapes import LocationFilter, Range, RequestPart, Revenues, Sizes
from firmograph.signals.shapes import ContactTypes

DEFAULT_SIZE = 20

_Page = Annotated[int, Meta(ge=0, le=1000, extra_json_schema={"default": 0})]
_Size = Annotated[int, Meta(ge=10, le=100, extra_json_schema={"default": DEFAULT_SIZE})]
Number = Annotated[int, Meta(ge=0, le=2**31 - 1)] | Annotated[str, Meta(pattern="^[0-9]{1,9}$")]
_SENIORITIES = sorted(SENIORITIES)
_Seniority = (
    Annotated[int, Meta(ge=0, le=2**31 - 1, extra_json_schema={"enum": _SENIORITIES})]
    | Annotated[
        str, Meta(pattern="^[0-9]{1,9}$", extra_json_schema={"enum": [str(one) for one in _SENIORITIES]})
    ]
)


class LegacyPages(RequestPart):
    page: _Page | UnsetType = UNSET
    size: _Size | UnsetType = UNSET


class LegacyOffset(RequestPart):
    """Page as older clients name it; without effect next to `pages`."""

    index: Annotated[int, Meta(ge=0, le=1000, description="The same as `pages.page`")] | UnsetType = UNSET
    size: _Size | UnsetType = UNSET


class LegacyPagesQuery(RequestPart):
    """Page in the query, for a body without `pages`."""

    page: _Page | UnsetType = msgspec.field(default=UNSET, name="pages[page]")
    size: _Size | UnsetType = msgspec.field(default=UNSET, name="pages[size]")


class LegacyContactSignalNames(RequestPart):
    """Signal of any of these types."""

    names: ContactTypes | UnsetType = UNSET
    start_date: Day | UnsetType = UNSET


class LegacyCompanySignalNames(RequestPart):
    """Signal of any of these types."""

    names: CompanyTypes | UnsetType = UNSET
    start_date: Day | UnsetType = UNSET


class LegacyContactCriteria(RequestPart):
    """One filter per property: any value of each filter, and all filters."""

    departments: of.Departments | UnsetType = UNSET
    seniority: (
        Annotated[list[_Seniority], Meta(description="Ids of seniorities, as numbers or text")] | UnsetType
    ) = UNSET
    existing_data_points: of.DataPoints | UnsetType = msgspec.field(
        default=UNSET, name="existing_data_points"
    )
    camel_data_points: of.DataPoints | UnsetType = msgspec.field(default=UNSET, name="existingDataPoints")
    locations: list[LocationFilter] | UnsetType = UNSET
    job_titles: of.AllWords | UnsetType = UNSET
    job_titles_exact_match: of.WholeTexts | UnsetType = UNSET
    countries: of.Countries | UnsetType = UNSET
    names: of.AllWords | UnsetType = UNSET
    linkedin_urls: of.PersonUrls | UnsetType = UNSET
    search_text: of.SearchText | UnsetType = UNSET
    signals: LegacyContactSignalNames | UnsetType = UNSET


class LegacyPlace(RequestPart):
    """Country, or state of a country, of the headquarters."""

    country: of.Text
    state: of.Text | UnsetType = UNSET


_IndustryIds = Annotated[list[Number], Meta(description="Ids of industries, as numbers or text")]


class LegacyCompanyCriteria(RequestPart):
    """One filter per property: any value of each filter, and all filters."""

    names: of.AllWords | UnsetType = UNSET
    domains: of.Domains | UnsetType = UNSET
    technologies: of.WholeTexts | UnsetType = UNSET
    intent_topics: of.WholeTexts | UnsetType = UNSET
    sic_codes: of.SicCodes | UnsetType = UNSET
    sics: Annotated[of.SicCodes, Meta(description="The same as `sicCodes`")] | UnsetType = UNSET
    naics_codes: of.NaicsCodes | UnsetType = UNSET
    naics: Annotated[of.NaicsCodes, Meta(description="The same as `naicsCodes`")] | UnsetType = UNSET
    locations: list[LocationFilter] | UnsetType = UNSET
    countries: of.Countries | UnsetType = UNSET
    company_locations: list[LegacyPlace] | UnsetType = UNSET
    sizes: Sizes | UnsetType = UNSET
    revenues: Revenues | UnsetType = UNSET
    main_industries_ids: _IndustryIds | UnsetType = UNSET
    sub_industries_ids: _IndustryIds | UnsetType = UNSET
    search_text: of.SearchText | UnsetType = UNSET
    exclude_partial_companies: (
        Annotated[bool, Meta(description="`true` leaves out companies without domain and LinkedIn URL")]
        | UnsetType
    ) = UNSET
    employees_in_linked_in: Range | UnsetType = msgspec.field(default=UNSET, name="employeesInLinkedIn")
    signals: LegacyCompanySignalNames | UnsetType = UNSET


class LegacyContactSide(RequestPart):
    include: LegacyContactCriteria | UnsetType = UNSET
    exclude: LegacyContactCriteria | UnsetType = UNSET


class LegacyCompanySide(RequestPart):
    include: LegacyCompanyCriteria | UnsetType = UNSET
    exclude: LegacyCompanyCriteria | UnsetType = UNSET


class LegacyContactFilters(RequestPart):
    contacts: LegacyContactSide | UnsetType = UNSET
    companies: LegacyCompanySide | UnsetType = UNSET


class LegacyCompanyFilters(RequestPart):
    """`contacts` cannot be combined with the company's `searchText`, `signals`, `intentTopics` or `technologies`."""

    companies: LegacyCompanySide | UnsetType = UNSET
    contacts: EmployeeSide | UnsetType = UNSET


_FILTERS = Meta(
    description="At least one value in an `include` or `exclude`; at most 10,000 in one list and 25,000 in all"
)


class LegacyContactSearch(RequestPart):
    filters: Annotated[LegacyContactFilters, _FILTERS] | UnsetType = UNSET
    pages: LegacyPages | UnsetType = UNSET
    offset: LegacyOffset | UnsetType = UNSET
    include_partial_contact: (
        Annotated[
            bool,
            Meta(
                description="Include contacts without e-mail and phone",
                extra_json_schema={"default": True},
            ),
        ]
        | UnsetType
    ) = UNSET
    exclude_dnc: ExcludeDnc | UnsetType = UNSET


class LegacyCompanySearch(RequestPart):
    filters: Annotated[LegacyCompanyFilters, _FILTERS] | UnsetType = UNSET
    pages: LegacyPages | UnsetType = UNSET
    offset: LegacyOffset | UnsetType = UNSET

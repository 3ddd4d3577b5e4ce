"""Requests of prospecting. Unknown properties are refused; empty objects and lists count as absent.

See docs/reference/prospecting.md#request.
"""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from firmograph.prospecting.filters import value_shapes as of
from firmograph.prospecting.filters.shapes import (
    CompanyCriteria,
    ContactCriteria,
    EmployeeCriteria,
    RequestPart,
)
from firmograph.signals.activity.shapes import CompanySignalFilter, ContactSignalFilter
from firmograph.table_rows import TableId


class ContactSide(RequestPart):
    include: ContactCriteria | UnsetType = UNSET
    exclude: ContactCriteria | UnsetType = UNSET


class CompanySide(RequestPart):
    include: CompanyCriteria | UnsetType = UNSET
    exclude: CompanyCriteria | UnsetType = UNSET


class EmployeeSide(RequestPart):
    include: EmployeeCriteria | UnsetType = UNSET
    exclude: EmployeeCriteria | UnsetType = UNSET


class ContactFilters(RequestPart):
    contacts: ContactSide | UnsetType = UNSET
    companies: CompanySide | UnsetType = UNSET


class CompanyFilters(RequestPart):
    """`contacts` cannot be combined with the company's `searchText`, `signals`, `intent...` or `technologies`."""

    companies: CompanySide | UnsetType = UNSET
    contacts: EmployeeSide | UnsetType = UNSET


ExcludeDnc = Annotated[
    bool, Meta(description="Exclude contacts with any do-not-call number; not on every plan")
]


class Pagination(RequestPart):
    page: Annotated[int, Meta(ge=0, le=1000, extra_json_schema={"default": 0})] | UnsetType = UNSET
    size: (
        Annotated[
            int, Meta(ge=10, le=100, description="Results of a page", extra_json_schema={"default": 25})
        ]
        | UnsetType
    ) = UNSET


class ContactOptions(RequestPart):
    include_partial_profiles: (
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
    max_contacts_per_company: (
        Annotated[
            int, Meta(ge=1, le=20, description="Maximum number of contacts per company, over all pages")
        ]
        | UnsetType
    ) = UNSET


class CompanyOptions(RequestPart):
    include_partial_profiles: (
        Annotated[
            bool,
            Meta(
                description="Include companies without domain and LinkedIn URL",
                extra_json_schema={"default": False},
            ),
        ]
        | UnsetType
    ) = UNSET


_FILTERS = Meta(
    description="At least one value in an `include` or `exclude`; at most 10,000 in one list and 25,000 in all"
)


class ContactProspecting(RequestPart):
    filters: Annotated[ContactFilters, _FILTERS] | UnsetType = UNSET
    pagination: Pagination | UnsetType = UNSET
    options: ContactOptions | UnsetType = UNSET
    search_text: (
        Annotated[of.SearchText, Meta(description="The same as `filters.contacts.include.searchText`")]
        | UnsetType
    ) = UNSET
    signals: (
        Annotated[ContactSignalFilter, Meta(description="The same as `filters.contacts.include.signals`")]
        | UnsetType
    ) = UNSET
    exclude_dnc: Annotated[bool, Meta(description="The same as `options.excludeDnc`")] | UnsetType = UNSET
    table_id: TableId | UnsetType = UNSET


class CompanyProspecting(RequestPart):
    filters: Annotated[CompanyFilters, _FILTERS] | UnsetType = UNSET
    pagination: Pagination | UnsetType = UNSET
    options: CompanyOptions | UnsetType = UNSET
    search_text: (
        Annotated[of.SearchText, Meta(description="The same as `filters.companies.include.searchText`")]
        | UnsetType
    ) = UNSET
    signals: (
        Annotated[CompanySignalFilter, Meta(description="The same as `filters.companies.include.signals`")]
        | UnsetType
    ) = UNSET
    filter_by_intent_category: (
        Annotated[
            of.Texts,
            Meta(description="The same as `filters.companies.include.signals.filterByIntentCategory`"),
        ]
        | UnsetType
    ) = UNSET
    table_id: TableId | UnsetType = UNSET

"""Compiler from prospecting requests to search engine queries, without I/O.

See docs/reference/prospecting.md#combining-filters.

Invalid requests raise BadRequest with the path of each problem.
"""

from collections.abc import Callable, Iterable
from datetime import date
from functools import partial
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from firmograph.prospecting.engines.query import Query
from firmograph.prospecting.filters import requests
from firmograph.prospecting.filters.company import CompanyFilterSets, company_filters, company_search_text
from firmograph.prospecting.filters.contact import (
    contact_filters,
    contact_search_text,
    employee_filters,
)
from firmograph.prospecting.filters.filter_reader import (
    FilterParser,
    FilterSet,
    RequestPath,
    Resolver,
    is_absent,
    or_default,
)
from firmograph.prospecting.filters.query_builder import (
    MAX_VALUES,
    CompanySides,
    ContactSides,
    SearchOptions,
    build_company_query,
    build_contact_query,
    start_reading,
)
from firmograph.prospecting.filters.shapes import CompanyCriteria
from firmograph.prospecting.filters.signal import company_signals, contact_signals
from firmograph.prospecting.filters.text import unless_blank
from firmograph.signals.activity.shapes import CompanySignalFilter

__all__ = [
    "MAX_VALUES",
    "Resolver",
    "company_query",
    "contact_query",
    "excludes_do_not_call",
    "filters_by_signals",
]

DEFAULT_SIZE = 25

T = TypeVar("T")


def contact_query(request: requests.ContactProspecting, resolver: Resolver, today: date) -> Query:
    """Return the query of `POST /v3/contacts/prospecting` on a day (UTC)."""
    root = start_reading(request, resolver, today)
    filters = or_default(request.filters, requests.ContactFilters())
    paths = root.child("filters")
    include, exclude = _contact_sides(filters.contacts, paths.child("contacts"), contact_filters)
    employer, excluded_employer = _company_sides(filters.companies, paths.child("companies"))
    _add_top_level(include, root, "searchText", unless_blank(request.search_text), contact_search_text)
    _add_top_level(include, root, "signals", request.signals, contact_signals)
    options = or_default(request.options, requests.ContactOptions())
    page = or_default(request.pagination, requests.Pagination())
    return build_contact_query(
        ContactSides(include, exclude, employer, excluded_employer),
        SearchOptions(
            or_default(page.page, 0),
            or_default(page.size, DEFAULT_SIZE),
            partial=or_default(options.include_partial_profiles, True),
            exclude_dnc=excludes_do_not_call(request),
            max_per_company=or_default(options.max_contacts_per_company, None),
        ),
        root,
    )


def company_query(request: requests.CompanyProspecting, resolver: Resolver, today: date) -> Query:
    """Return the query of `POST /v3/companies/prospecting` on a day (UTC)."""
    root = start_reading(request, resolver, today)
    filters = or_default(request.filters, requests.CompanyFilters())
    paths = root.child("filters")
    signals = partial(company_signals, intent_categories=or_default(request.filter_by_intent_category, []))
    include, exclude = _company_sides(filters.companies, paths.child("companies"), signals)
    _add_top_level(
        include.company, root, "searchText", unless_blank(request.search_text), company_search_text
    )
    _add_top_level(include.company, root, "signals", request.signals, signals)
    employees = read_employees(filters.contacts, paths.child("contacts"), [include.company, exclude.company])
    options = or_default(request.options, requests.CompanyOptions())
    page = or_default(request.pagination, requests.Pagination())
    return build_company_query(
        CompanySides(include, exclude, *employees),
        SearchOptions(
            or_default(page.page, 0),
            or_default(page.size, DEFAULT_SIZE),
            partial=or_default(options.include_partial_profiles, False),
        ),
        root,
    )


def read_employees(
    side: requests.EmployeeSide | UnsetType, path: RequestPath, companies: Iterable[FilterSet]
) -> list[FilterSet]:
    """Return include and exclude of the contact filters of a search for companies, given its company filters.

    Records a problem for those that must not be combined.
    """
    employees = _contact_sides(side, path, employee_filters)
    _check_combination(employees, companies, path)
    return employees


def excludes_do_not_call(request: requests.ContactProspecting) -> bool:
    """Check whether the request needs a plan with the exclusion of do-not-call numbers."""
    options = or_default(request.options, requests.ContactOptions())
    return options.exclude_dnc is True or request.exclude_dnc is True


def filters_by_signals(request: requests.ContactProspecting | requests.CompanyProspecting) -> bool:
    """Check whether the request needs a plan with signals."""
    filters: Any = request.filters
    sides = [] if filters is UNSET else [filters.contacts, filters.companies]
    clauses = [clause for side in sides if side is not UNSET for clause in (side.include, side.exclude)]
    return not all(is_absent(getattr(part, "signals", UNSET)) for part in (request, *clauses))


# --- include and exclude of one side ---


def _contact_sides(
    side: requests.ContactSide | requests.EmployeeSide | UnsetType,
    path: RequestPath,
    parse: Callable[[Any, RequestPath], FilterSet],
) -> list[FilterSet]:
    include, exclude = (UNSET, UNSET) if side is UNSET else (side.include, side.exclude)
    clauses = (("include", include), ("exclude", exclude))
    return [
        FilterSet(path.child(name)) if clause is UNSET else parse(clause, path.child(name))
        for name, clause in clauses
    ]


def _company_sides(
    side: requests.CompanySide | UnsetType,
    path: RequestPath,
    signals: FilterParser[CompanySignalFilter] = company_signals,
) -> tuple[CompanyFilterSets, CompanyFilterSets]:
    clauses = or_default(side, requests.CompanySide())
    include, exclude = (
        or_default(clause, CompanyCriteria()) for clause in (clauses.include, clauses.exclude)
    )
    return (
        company_filters(include, path.child("include"), signals),
        company_filters(exclude, path.child("exclude")),
    )


def _add_top_level(
    include: FilterSet, root: RequestPath, name: str, value: T | UnsetType, parse: FilterParser[T]
) -> None:
    """Add a filter given next to `filters` to the include side of the endpoint's own records."""
    if value is UNSET or is_absent(value):
        return
    if name in include.by_name:
        root.child(name).refuse(f"must not be given twice: it is also in {include.path_of(name)}")
    else:
        include.add_criteria(root.child(name), name, parse(value, root.child(name)))


_FORBIDDEN_WITH_CONTACTS = frozenset(
    {"searchText", "signals", "technologies", "intentTopics", "intentMinScore", "intentMaxScore"}
)


def _check_combination(
    employees: Iterable[FilterSet], companies: Iterable[FilterSet], path: RequestPath
) -> None:
    """Record a problem for company filters that must not be combined with contact filters."""
    if not any(filter_set.by_name for filter_set in employees):
        return
    for filter_set in companies:
        for name in filter_set.by_name:
            if name in _FORBIDDEN_WITH_CONTACTS:
                path.refuse(f"must not be combined with {filter_set.path_of(name)}")

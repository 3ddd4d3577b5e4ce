"""Filters of the legacy searches, compiled to the criteria of the current ones (docs/reference/legacy.md#search).

Paths of problems are those of the request.
"""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from firmograph.legacy.prospecting import search_shapes as shapes
from firmograph.legacy.signal_arrays import check_known
from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import Criterion, HasSignal, Query
from firmograph.prospecting.filters import company, contact
from firmograph.prospecting.filters.company import CompanyFilterSets
from firmograph.prospecting.filters.compiler import read_employees
from firmograph.prospecting.filters.filter_reader import (
    FilterParser,
    FilterSet,
    RequestPath,
    Resolver,
    is_absent,
    or_default,
)
from firmograph.prospecting.filters.place import countries_by_name, locations
from firmograph.prospecting.filters.query_builder import (
    PARTIAL,
    CompanySides,
    ContactSides,
    SearchOptions,
    build_company_query,
    build_contact_query,
    start_reading,
)
from firmograph.prospecting.filters.record_filters import company_domains, contact_linkedin_urls
from firmograph.prospecting.filters.shapes import LocationFilter
from firmograph.prospecting.filters.signal import signal_place
from firmograph.prospecting.filters.text import all_words, unless_blank, whole_texts
from firmograph.prospecting.filters.value import between, ranges
from firmograph.signals.activity.filters import requested_company_signals, requested_contact_signals
from firmograph.signals.activity.shapes import CompanySignalFilter, ContactSignalFilter
from firmograph.signals.types import POSTS

T = TypeVar("T")


def contact_query(
    request: shapes.LegacyContactSearch,
    pages: shapes.LegacyPagesQuery,
    resolver: Resolver,
    today: date,
) -> Query:
    """Return the query of `POST /prospecting/contact/search` on a day (UTC). Raises BadRequest."""
    root = start_reading(request, resolver, today)
    filters = or_default(request.filters, shapes.LegacyContactFilters())
    paths = root.child("filters")
    side = or_default(filters.contacts, shapes.LegacyContactSide())
    companies = or_default(filters.companies, shapes.LegacyCompanySide())
    excluded_employer = _company_filters(companies.exclude, paths.child("companies").child("exclude"))
    _leave_out_partial(companies, excluded_employer.company, paths.child("companies"))
    page, size = _page(request, pages)
    return build_contact_query(
        ContactSides(
            _contact_filters(side.include, paths.child("contacts").child("include")),
            _contact_filters(side.exclude, paths.child("contacts").child("exclude")),
            _company_filters(companies.include, paths.child("companies").child("include")),
            excluded_employer,
        ),
        SearchOptions(
            page,
            size,
            partial=request.include_partial_contact is not False,
            exclude_dnc=request.exclude_dnc is True,
        ),
        root,
    )


def company_query(
    request: shapes.LegacyCompanySearch,
    pages: shapes.LegacyPagesQuery,
    resolver: Resolver,
    today: date,
) -> Query:
    """Return the query of `POST /prospecting/company/search` on a day (UTC). Raises BadRequest."""
    root = start_reading(request, resolver, today)
    filters = or_default(request.filters, shapes.LegacyCompanyFilters())
    paths = root.child("filters")
    path = paths.child("companies")
    side = or_default(filters.companies, shapes.LegacyCompanySide())
    include = _company_filters(side.include, path.child("include"))
    exclude = _company_filters(side.exclude, path.child("exclude"))
    _leave_out_partial(side, exclude.company, path)
    employees = read_employees(filters.contacts, paths.child("contacts"), [include.company, exclude.company])
    page, size = _page(request, pages)
    return build_company_query(
        CompanySides(include, exclude, *employees),
        SearchOptions(page, size, partial=True),
        root,
    )


def filters_by_signals(request: shapes.LegacyContactSearch | shapes.LegacyCompanySearch) -> bool:
    """Check whether the request needs a plan with signals."""
    filters: Any = request.filters
    sides = [] if filters is UNSET else [getattr(filters, "contacts", UNSET), filters.companies]
    clauses = [clause for side in sides if side is not UNSET for clause in (side.include, side.exclude)]
    return not all(is_absent(getattr(clause, "signals", UNSET)) for clause in clauses)


def _page(
    request: shapes.LegacyContactSearch | shapes.LegacyCompanySearch, query: shapes.LegacyPagesQuery
) -> tuple[int, int]:
    """Return page and size: of `pages`, else of `offset`, else of the query."""
    if request.pages is not UNSET:
        page, size = request.pages.page, request.pages.size
    elif request.offset is not UNSET:
        page, size = request.offset.index, request.offset.size
    else:
        page, size = query.page, query.size
    return or_default(page, 0), or_default(size, shapes.DEFAULT_SIZE)


def _contact_filters(criteria: shapes.LegacyContactCriteria | UnsetType, path: RequestPath) -> FilterSet:
    filters = FilterSet(path)
    if criteria is UNSET:
        return filters
    filters.add("departments", criteria.departments, contact.departments)
    filters.add("seniority", criteria.seniority, _numbers(contact.seniority_ids))
    points = (
        ("existing_data_points", criteria.existing_data_points),
        ("existingDataPoints", criteria.camel_data_points),
    )
    _add_alias(filters, path, points, contact.existing_data_points)
    filters.add("locations", criteria.locations, locations)
    filters.add("jobTitles", criteria.job_titles, all_words(fields.TITLE))
    filters.add("jobTitlesExactMatch", criteria.job_titles_exact_match, contact.exact_titles)
    filters.add("countries", criteria.countries, countries_by_name)
    filters.add("names", criteria.names, all_words(fields.NAME))
    filters.add("linkedinUrls", criteria.linkedin_urls, contact_linkedin_urls)
    filters.add("searchText", unless_blank(criteria.search_text), contact.contact_search_text)
    filters.add("signals", criteria.signals, _contact_signals)
    return filters


def _company_filters(
    criteria: shapes.LegacyCompanyCriteria | UnsetType, path: RequestPath
) -> CompanyFilterSets:
    filters = FilterSet(path)
    former_employers = FilterSet(path)
    if criteria is UNSET:
        return CompanyFilterSets(filters, former_employers)
    filters.add("names", criteria.names, all_words(fields.COMPANY_NAME))
    filters.add("domains", criteria.domains, company_domains)
    filters.add("technologies", criteria.technologies, company.technologies(False))
    filters.add("intentTopics", criteria.intent_topics, whole_texts(fields.INTENT_TOPIC))
    sics = (("sicCodes", criteria.sic_codes), ("sics", criteria.sics))
    _add_alias(filters, path, sics, company.sic_codes)
    naics = (("naicsCodes", criteria.naics_codes), ("naics", criteria.naics))
    _add_alias(filters, path, naics, company.naics_codes)
    filters.add("locations", criteria.locations, locations)
    filters.add("countries", criteria.countries, countries_by_name)
    filters.add("companyLocations", criteria.company_locations, _places)
    filters.add("sizes", criteria.sizes, ranges(fields.SIZE))
    filters.add("revenues", criteria.revenues, ranges(fields.REVENUE))
    main, sub = company.industry_ids(fields.MAIN_INDUSTRY), company.industry_ids(fields.SUB_INDUSTRY)
    filters.add("mainIndustriesIds", criteria.main_industries_ids, _numbers(main))
    filters.add("subIndustriesIds", criteria.sub_industries_ids, _numbers(sub))
    filters.add("searchText", unless_blank(criteria.search_text), company.company_search_text)
    filters.add(
        "employeesInLinkedIn",
        criteria.employees_in_linked_in,
        lambda value, at: between(fields.SIZE, value, at),
    )
    filters.add("signals", criteria.signals, _company_signals)
    return CompanyFilterSets(filters, former_employers)


def _leave_out_partial(side: shapes.LegacyCompanySide, exclude: FilterSet, path: RequestPath) -> None:
    """Exclude partial companies if either clause says so."""
    for name, clause in (("include", side.include), ("exclude", side.exclude)):
        if clause is not UNSET and clause.exclude_partial_companies is True:
            at = path.child(name).child("excludePartialCompanies")
            exclude.add_criteria(at, "excludePartialCompanies", PARTIAL)


def _add_alias(
    filters: FilterSet,
    path: RequestPath,
    named: Sequence[tuple[str, T | UnsetType]],
    parse: Callable[[T, RequestPath], Criterion],
) -> None:
    """Add a filter that has two names; refuse both."""
    given = [
        (name, value) for name, value in named if not isinstance(value, UnsetType) and not is_absent(value)
    ]
    if len(given) > 1:
        first = path.child(given[0][0]).path
        path.child(given[1][0]).refuse(f"must not be given twice: it is also in {first}")
    for name, value in given:
        filters.add(name, value, parse)


def _numbers(parse: FilterParser[list[int]]) -> FilterParser[list[int | str]]:
    """Return the parser of numbers that may be texts."""
    return lambda values, path: parse([int(value) for value in values], path)


def _places(values: list[shapes.LegacyPlace], path: RequestPath) -> Criterion:
    return locations([LocationFilter(country=one.country, state=one.state) for one in values], path)


def _contact_signals(value: shapes.LegacyContactSignalNames, path: RequestPath) -> Criterion:
    requested = ContactSignalFilter(value.names, value.start_date)
    return HasSignal(requested_contact_signals(requested, signal_place(path), "names"))


def _company_signals(value: shapes.LegacyCompanySignalNames, path: RequestPath) -> Criterion:
    if value.names is not UNSET:
        check_known(value.names, path.child("names").path)
    requested = CompanySignalFilter(value.names, value.start_date)
    found = requested_company_signals(requested, signal_place(path), types_at="names")
    return HasSignal(tuple(one for one in found if one.type != POSTS))

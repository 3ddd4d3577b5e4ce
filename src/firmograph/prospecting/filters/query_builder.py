"""Queries from the read filters of a request, the same for every generation.

See docs/reference/prospecting.md#combining-filters.

Values of one filter are combined with OR, filters with AND. A record that meets any value of any exclude filter on
either side is left out.
"""

from collections.abc import Iterable
from datetime import date
from typing import Final, NamedTuple

import msgspec

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import (
    Criterion,
    EmployedBy,
    Employs,
    Query,
    Term,
    Without,
    all_of,
    any_of,
)
from firmograph.prospecting.filters.company import CompanyFilterSets
from firmograph.prospecting.filters.contact import REFINEMENTS
from firmograph.prospecting.filters.filter_reader import (
    FilterSet,
    ReadContext,
    RequestPath,
    Resolver,
    count_values,
)
from firmograph.security.record_ids import Entity

MAX_VALUES: Final = 25_000
"""Maximum number of values in all lists of one request."""

PARTIAL: Final = Term(fields.PARTIAL, "1")
_DO_NOT_CALL: Final = Term(fields.HAS, "do_not_call")


class ContactSides(NamedTuple):
    """Filters of a search for contacts, and of their employers."""

    include: FilterSet
    exclude: FilterSet
    employer: CompanyFilterSets
    excluded_employer: CompanyFilterSets

    @property
    def filter_sets(self) -> list[FilterSet]:
        return [self.include, self.exclude, *self.employer, *self.excluded_employer]


class CompanySides(NamedTuple):
    """Filters of a search for companies, and of one single contact of theirs."""

    include: CompanyFilterSets
    exclude: CompanyFilterSets
    employees: FilterSet
    excluded_employees: FilterSet

    @property
    def filter_sets(self) -> list[FilterSet]:
        return [*self.include, *self.exclude, self.employees, self.excluded_employees]


class SearchOptions(NamedTuple):
    """Page, and what leaves records out besides filters."""

    page: int
    size: int
    partial: bool
    """Whether partial records are results."""
    exclude_dnc: bool = False
    max_per_company: int | None = None


def excludes_marked(query: Query) -> bool:
    """Return whether a query leaves out contacts with do-not-call numbers."""
    return _DO_NOT_CALL in query.excluded


def start_reading(request: msgspec.Struct, resolver: Resolver, today: date) -> RequestPath:
    """Return the root path of a request, once its number of values is within the limit."""
    root = RequestPath(ReadContext(resolver, today))
    values = count_values(request, root)
    if values > MAX_VALUES:
        root.child("filters").refuse(f"must have at most {MAX_VALUES} values in all, but have {values}")
    root.context.check()
    return root


def build_contact_query(sides: ContactSides, options: SearchOptions, root: RequestPath) -> Query:
    """Return the query of a search for contacts. Raises BadRequest for recorded problems and a lack of filters."""
    _check_filters(sides.filter_sets, root)
    return Query(
        Entity.CONTACT,
        all_of([*sides.include.criteria, *_employed(sides.employer)]),
        (
            *sides.exclude.criteria,
            *map(EmployedBy, sides.excluded_employer.company.criteria),
            *sides.excluded_employer.former_employers.criteria,
            *(() if options.partial else (PARTIAL,)),
            *((_DO_NOT_CALL,) if options.exclude_dnc else ()),
        ),
        max_per_company=options.max_per_company,
        offset=options.page * options.size,
        size=options.size,
    )


def build_company_query(sides: CompanySides, options: SearchOptions, root: RequestPath) -> Query:
    """Return the query of a search for companies. Raises BadRequest for recorded problems and a lack of filters."""
    _check_filters(sides.filter_sets, root)
    return Query(
        Entity.COMPANY,
        all_of(
            [
                *sides.include.company.criteria,
                *map(Employs, sides.include.former_employers.criteria),
                *_employs(sides.employees, sides.excluded_employees),
            ]
        ),
        (
            *sides.exclude.company.criteria,
            *map(Employs, sides.exclude.former_employers.criteria),
            *(() if options.partial else (PARTIAL,)),
        ),
        offset=options.page * options.size,
        size=options.size,
    )


def _employed(companies: CompanyFilterSets) -> Iterable[Criterion]:
    """Yield contact criteria: all filters of the side hold, for the employer and for the former employers."""
    if companies.company.criteria:
        yield EmployedBy(all_of(companies.company.criteria))
    yield from companies.former_employers.criteria


def _employs(include: FilterSet, exclude: FilterSet) -> Iterable[Criterion]:
    """Yield the company criterion that one single contact passes the whole contact side."""
    if exclude.criteria:
        yield Employs(Without(all_of(include.criteria), any_of(exclude.criteria)))
    elif include.criteria:
        yield Employs(all_of(include.criteria))


def _check_filters(filter_sets: Iterable[FilterSet], root: RequestPath) -> None:
    """Raise BadRequest for recorded problems, for refinements without other filters and for a lack of values."""
    present = [(filter_set, name) for filter_set in filter_sets for name in filter_set.by_name]
    if present and all(name in REFINEMENTS for _, name in present):
        for filter_set, name in present:
            root.context.refuse(
                f"{filter_set.path_of(name)} only refines other filters; add one that does not, such as jobTitles"
            )
    if not present:
        root.child("filters").refuse("must have at least one include or exclude value")
    root.context.check()

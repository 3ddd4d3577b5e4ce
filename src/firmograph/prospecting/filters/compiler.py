"""From the requests of prospecting to the query of a search engine (decisions E); pure, without I/O.

OR within the values of one filter, AND between filters. A record is left out when it meets any value of any exclude
filter on either side. Whatever cannot be is BadRequest with its path.
"""

from collections.abc import Callable, Iterable
from datetime import date
from functools import partial
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from firmograph.prospecting.engines import fields
from firmograph.prospecting.engines.query import (
    Criterion,
    Employer,
    Employs,
    Query,
    Term,
    Without,
    all_of,
    any_of,
)
from firmograph.prospecting.filters import requests as shapes
from firmograph.prospecting.filters.company import CompanyReading, company_filters, company_search_text
from firmograph.prospecting.filters.contact import (
    REFINEMENTS,
    contact_filters,
    contact_search_text,
    employee_filters,
)
from firmograph.prospecting.filters.filter_reader import (
    At,
    Read,
    Reading,
    Resolver,
    Side,
    count_values,
    is_absent,
    or_default,
)
from firmograph.prospecting.filters.shapes import CompanyCriteria
from firmograph.prospecting.filters.signal import company_signals, contact_signals
from firmograph.prospecting.filters.text import filled
from firmograph.security.record_ids import Entity
from firmograph.signals.activity_shapes import CompanySignalFilter

__all__ = [
    "MOST_VALUES",
    "Resolver",
    "asks_for_signals",
    "company_query",
    "contact_query",
    "excludes_do_not_call",
]

MOST_VALUES = 25_000
"""In all lists of one request (decisions E)."""

DEFAULT_SIZE = 25

T = TypeVar("T")

_PARTIAL = Term(fields.PARTIAL, "1")
_DO_NOT_CALL = Term(fields.HAS, "do_not_call")


def contact_query(request: shapes.ContactProspecting, resolver: Resolver, today: date) -> Query:
    """What `POST /v3/contacts/prospecting` asks for on a day (UTC)."""
    root = _opened(request, resolver, today)
    filters = or_default(request.filters, shapes.ContactFilters())
    include, exclude = _contact_sides(filters.contacts, root.at("filters").at("contacts"), contact_filters)
    employer, no_employer = _company_sides(filters.companies, root.at("filters").at("companies"))
    _beside(include, root, "searchText", filled(request.search_text), contact_search_text)
    _beside(include, root, "signals", request.signals, contact_signals)
    _check([include, exclude, *employer, *no_employer], root)
    options = or_default(request.options, shapes.ContactOptions())
    page = or_default(request.pagination, shapes.Pagination())
    return Query(
        Entity.CONTACT,
        all_of([*include.criteria, *_employed(employer)]),
        (
            *exclude.criteria,
            *map(Employer, no_employer.company.criteria),
            *no_employer.past.criteria,
            *((_PARTIAL,) if options.include_partial_profiles is False else ()),
            *((_DO_NOT_CALL,) if excludes_do_not_call(request) else ()),
        ),
        max_per_company=or_default(options.max_contacts_per_company, None),
        offset=or_default(page.page, 0) * or_default(page.size, DEFAULT_SIZE),
        size=or_default(page.size, DEFAULT_SIZE),
    )


def company_query(request: shapes.CompanyProspecting, resolver: Resolver, today: date) -> Query:
    """What `POST /v3/companies/prospecting` asks for on a day (UTC)."""
    root = _opened(request, resolver, today)
    filters = or_default(request.filters, shapes.CompanyFilters())
    signals = partial(company_signals, intent_categories=or_default(request.filter_by_intent_category, []))
    include, exclude = _company_sides(filters.companies, root.at("filters").at("companies"), signals)
    staff, no_staff = _contact_sides(filters.contacts, root.at("filters").at("contacts"), employee_filters)
    _beside(include.company, root, "searchText", filled(request.search_text), company_search_text)
    _beside(include.company, root, "signals", request.signals, signals)
    _check_staff([staff, no_staff], [include.company, exclude.company], root.at("filters").at("contacts"))
    _check([*include, *exclude, staff, no_staff], root)
    options = or_default(request.options, shapes.CompanyOptions())
    page = or_default(request.pagination, shapes.Pagination())
    return Query(
        Entity.COMPANY,
        all_of([*include.company.criteria, *map(Employs, include.past.criteria), *_employs(staff, no_staff)]),
        (
            *exclude.company.criteria,
            *map(Employs, exclude.past.criteria),
            *(() if options.include_partial_profiles is True else (_PARTIAL,)),
        ),
        offset=or_default(page.page, 0) * or_default(page.size, DEFAULT_SIZE),
        size=or_default(page.size, DEFAULT_SIZE),
    )


def excludes_do_not_call(request: shapes.ContactProspecting) -> bool:
    """Whether the request needs a plan that may exclude do-not-call numbers."""
    options = or_default(request.options, shapes.ContactOptions())
    return options.exclude_dnc is True or request.exclude_dnc is True


def asks_for_signals(request: shapes.ContactProspecting | shapes.CompanyProspecting) -> bool:
    """Whether the request needs a plan that has signals."""
    filters: Any = request.filters
    sides = [] if filters is UNSET else [filters.contacts, filters.companies]
    clauses = [clause for side in sides if side is not UNSET for clause in (side.include, side.exclude)]
    return not all(is_absent(getattr(given, "signals", UNSET)) for given in (request, *clauses))


# --- include and exclude of one side ---


def _contact_sides(
    given: shapes.ContactSide | shapes.EmployeeSide | UnsetType, at: At, read: Callable[[Any, At], Side]
) -> list[Side]:
    include, exclude = (UNSET, UNSET) if given is UNSET else (given.include, given.exclude)
    clauses = (("include", include), ("exclude", exclude))
    return [Side(at.at(name)) if of is UNSET else read(of, at.at(name)) for name, of in clauses]


def _company_sides(
    given: shapes.CompanySide | UnsetType, at: At, signals: Read[CompanySignalFilter] = company_signals
) -> tuple[CompanyReading, CompanyReading]:
    side = or_default(given, shapes.CompanySide())
    include, exclude = (or_default(of, CompanyCriteria()) for of in (side.include, side.exclude))
    return company_filters(include, at.at("include"), signals), company_filters(exclude, at.at("exclude"))


def _employed(companies: CompanyReading) -> Iterable[Criterion]:
    """Of contacts: all company filters of one side hold, for the employer and for the former ones."""
    if companies.company.criteria:
        yield Employer(all_of(companies.company.criteria))
    yield from companies.past.criteria


def _employs(include: Side, exclude: Side) -> Iterable[Criterion]:
    """Of companies: one single contact passes the whole contact side."""
    if exclude.criteria:
        yield Employs(Without(all_of(include.criteria), any_of(exclude.criteria)))
    elif include.criteria:
        yield Employs(all_of(include.criteria))


def _opened(
    request: shapes.ContactProspecting | shapes.CompanyProspecting, resolver: Resolver, today: date
) -> At:
    """The root of a request that is not too large to be read."""
    root = At(Reading(resolver, today))
    values = count_values(request, root)
    if values > MOST_VALUES:
        root.at("filters").refuse(f"must have at most {MOST_VALUES} values in all, but have {values}")
    root.reading.check()
    return root


def _beside(include: Side, root: At, name: str, value: T | UnsetType, read: Read[T]) -> None:
    """Takes up a filter that stands beside `filters` and acts as one of the endpoint's own include side (row 5)."""
    if value is UNSET or is_absent(value):
        return
    if name in include.given:
        root.at(name).refuse(f"must not be given twice: it stands in {include.path(name)} too")
    else:
        include.take(root.at(name), name, read(value, root.at(name)))


_FORBIDDEN_WITH_CONTACTS = frozenset(
    {"searchText", "signals", "technologies", "intentTopics", "intentMinScore", "intentMaxScore"}
)


def _check_staff(staff: Iterable[Side], companies: Iterable[Side], at: At) -> None:
    """Some company filters cannot stand with contact filters (wire-a 4.2)."""
    if not any(side.given for side in staff):
        return
    for side in companies:
        for name in side.given:
            if name in _FORBIDDEN_WITH_CONTACTS:
                at.refuse(f"must not be combined with {side.path(name)}")


def _check(sides: Iterable[Side], root: At) -> None:
    """Raises what was found wrong, refinements of nothing and the lack of any value included."""
    given = [(side, name) for side in sides for name in side.given]
    if given and all(name in REFINEMENTS for _, name in given):
        for side, name in given:
            root.reading.refuse(
                f"{side.path(name)} only refines other filters; add one that does not, such as jobTitles"
            )
    if not given:
        root.at("filters").refuse("must have at least one include or exclude value")
    root.reading.check()

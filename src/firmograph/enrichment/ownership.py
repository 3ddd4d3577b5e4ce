"""Owners and competitors named in the response of a company (docs/reference/records.md#owners)."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.company_json import PARENT_BITS, TOKEN_BIT
from firmograph.directory.records import DIRECT_PARENT, ULTIMATE_PARENT
from firmograph.directory.store import CompanyProfile
from firmograph.directory.stored_views import CompanyView, competitor_numbers, view_company


class Owners(NamedTuple):
    direct: int
    ultimate: int


def show_competitor(company: CompanyView) -> dict[str, str]:
    """Return a company as another one shows it among its competitors."""
    return {"name": company.name} | ({"domain": company.domain} if company.domain else {})


def show_owner(company: CompanyView) -> dict[str, str]:
    """Return a company as another one shows it as its owner."""
    return show_competitor(company) | ({"hqCountry": company.country} if company.country else {})


class Related(NamedTuple):
    owners: Mapping[int, Owners]
    """By number of the owned company."""
    summaries: Mapping[int, CompanyView]


_COMPETITORS = TOKEN_BIT["competitors"]


def find_related(session: Session, companies: Sequence[CompanyProfile], shown: Collection[str]) -> Related:
    """Return the owners and company summaries that revealed tokens need. At most two statements."""
    owners: dict[int, Owners] = {}
    needed: set[int] = set()
    if not {"directParent", "ultimateParent"}.isdisjoint(shown):
        owned = [company.number for company in companies if company.tokens & PARENT_BITS]
        edges = store.ownership_edges(session, owned) if owned else {}
        owners = {number: derive_owners(number, above) for number, above in edges.items()}
        needed.update(number for pair in owners.values() for number in pair)
    if "competitors" in shown:
        rivals = (competitor_numbers(each.premium) for each in companies if each.tokens & _COMPETITORS)
        needed.update(number for numbers in rivals for number in numbers)
    if not needed:
        return Related(owners, {})
    found = store.companies_by_number(session, needed)
    return Related(owners, {number: view_company(company.preview) for number, company in found.items()})


Edges = Mapping[int, Mapping[int, int]]
"""Owners of each company, with their roles."""


def derive_owners(company: int, edges: Edges) -> Owners:
    """Return the direct and the ultimate owner, given the owners of every company in the chain above.

    Stated roles win. Otherwise the direct owner is one that is no ancestor of another owner, and the ultimate owner is
    the end of the walk over direct owners: a stated ultimate owner, a company without owners, or the company before
    one visited already (a cycle).
    """
    direct = _direct(company, edges)
    assert direct is not None
    return Owners(direct, _ultimate(company, edges))


def _ultimate(company: int, edges: Edges) -> int:
    visited, at = {company}, company
    while True:
        stated = _stated(at, edges, ULTIMATE_PARENT)
        above = _direct(at, edges) if stated is None or stated in visited else stated
        if above is None or above in visited:
            return at
        if above == stated:
            return above
        visited.add(above)
        at = above


def _direct(company: int, edges: Edges) -> int | None:
    stated = _stated(company, edges, DIRECT_PARENT)
    if stated is not None:
        return stated
    roles = edges.get(company, {})
    # a stated ultimate owner is above the others
    owners = sorted(owner for owner in roles if roles[owner] != ULTIMATE_PARENT) or sorted(roles)
    nearest = [
        owner
        for owner in owners
        if not any(other != owner and owner in _ancestors(other, edges) for other in owners)
    ]
    return next(iter(nearest or owners), None)


def _stated(company: int, edges: Edges, role: int) -> int | None:
    return next((owner for owner, roles in edges.get(company, {}).items() if roles & role), None)


def _ancestors(company: int, edges: Edges) -> set[int]:
    visited: set[int] = set()
    waiting = list(edges.get(company, ()))
    while waiting:
        owner = waiting.pop()
        if owner not in visited:
            visited.add(owner)
            waiting += edges.get(owner, ())
    return visited

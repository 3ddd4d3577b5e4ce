"""The other companies that a company's answer names: owners and competitors (docs/reference/records.md#owners)."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.company_json import PARENT_BITS, TOKEN_BIT
from firmograph.directory.records import DIRECT_PARENT, ULTIMATE_PARENT
from firmograph.directory.store import CompanyProfile


class Owners(NamedTuple):
    direct: int
    ultimate: int


class _Place(msgspec.Struct):
    country: str | None = None


class Card(msgspec.Struct):
    """Parts of a company that are shown where another one names it."""

    name: str = ""
    domain: str | None = None
    location: _Place | None = None

    def competitor(self) -> dict[str, str]:
        return {"name": self.name} | ({"domain": self.domain} if self.domain else {})

    def owner(self) -> dict[str, str]:
        country = self.location.country if self.location else None
        return self.competitor() | ({"hqCountry": country} if country else {})


class Related(NamedTuple):
    owners: Mapping[int, Owners]
    """Of the companies that are owned."""
    cards: Mapping[int, Card]


_card = msgspec.json.Decoder(Card).decode
_COMPETITORS = TOKEN_BIT["competitors"]


def related(session: Session, companies: Sequence[CompanyProfile], shown: Collection[str]) -> Related:
    """Return the facts of other companies that revealed tokens need, in at most two statements."""
    owners: dict[int, Owners] = {}
    wanted: set[int] = set()
    if not {"directParent", "ultimateParent"}.isdisjoint(shown):
        owned = [company.number for company in companies if company.tokens & PARENT_BITS]
        edges = store.ownership_edges(session, owned) if owned else {}
        owners = {number: owners_of(number, above) for number, above in edges.items()}
        wanted.update(number for pair in owners.values() for number in pair)
    if "competitors" in shown:
        wanted.update(n for company in companies if company.tokens & _COMPETITORS for n in _rivals(company))
    if not wanted:
        return Related(owners, {})
    found = store.companies_by_number(session, wanted)
    return Related(owners, {number: _card(company.preview) for number, company in found.items()})


class _Premium(msgspec.Struct):
    competitors: list[int] = []


def _rivals(company: CompanyProfile) -> list[int]:
    return msgspec.json.decode(company.premium or b"{}", type=_Premium).competitors


Edges = Mapping[int, Mapping[int, int]]
"""The owners of companies, each with its role there."""


def owners_of(company: int, edges: Edges) -> Owners:
    """Return the direct and the ultimate owner, given the owners of every company in the chain above.

    Stated roles win. Else the direct one of several owners is no ancestor of another, and the ultimate one is where
    the walk over direct owners ends: at a stated ultimate owner, at a company without owners, or before one that it
    met already (a cycle).
    """
    direct = _direct(company, edges)
    assert direct is not None
    return Owners(direct, _ultimate(company, edges))


def _ultimate(company: int, edges: Edges) -> int:
    met, at = {company}, company
    while True:
        stated = _stated(at, edges, ULTIMATE_PARENT)
        above = _direct(at, edges) if stated is None or stated in met else stated
        if above is None or above in met:
            return at
        if above == stated:
            return above
        met.add(above)
        at = above


def _direct(company: int, edges: Edges) -> int | None:
    stated = _stated(company, edges, DIRECT_PARENT)
    if stated is not None:
        return stated
    held = edges.get(company, {})
    # one that is stated to be the ultimate owner is above the others
    owners = sorted(owner for owner in held if held[owner] != ULTIMATE_PARENT) or sorted(held)
    nearest = [
        owner
        for owner in owners
        if not any(other != owner and owner in _ancestors(other, edges) for other in owners)
    ]
    return next(iter(nearest or owners), None)


def _stated(company: int, edges: Edges, role: int) -> int | None:
    return next((owner for owner, roles in edges.get(company, {}).items() if roles & role), None)


def _ancestors(company: int, edges: Edges) -> set[int]:
    met: set[int] = set()
    waiting = list(edges.get(company, ()))
    while waiting:
        owner = waiting.pop()
        if owner not in met:
            met.add(owner)
            waiting += edges.get(owner, ())
    return met

"""Buying groups of a few companies: look-up, ranking, one page of contacts, charge.

See docs/reference/buying-groups.md.

The index is asked and the contacts are ranked before the write transaction of the charge, which reads the previews, so
that a person removed in between is neither shown nor charged.
"""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from msgspec import UNSET

from firmograph.billing.charged_call import ChargedCall, ChargedCalls, ChargedWork, PricedContent
from firmograph.billing.idempotency import Memo
from firmograph.buying_groups.answers import AnswerRenderer, GroupView, MemberView
from firmograph.buying_groups.ranking import RankedGroup, Ranker
from firmograph.buying_groups.roles.personas import Persona
from firmograph.buying_groups.shapes import (
    DEFAULT_LIMIT,
    DEFAULT_SIZE,
    BuyingGroupCompany,
    BuyingGroupRequest,
)
from firmograph.caller import Request
from firmograph.database.connection import Database, Session
from firmograph.directory.lookup.identifiers import ValuePath, describe_problem, raise_problem
from firmograph.directory.lookup.queries import CompanyQuery, QueryReader
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.kit.clock import day_of
from firmograph.prospecting.engines.port import SearchIndex
from firmograph.prospecting.search_snapshot import SearchSnapshot
from firmograph.prospecting.service import Previews

PRICE_KEY: Final = "buyingGroupReveal"


class BuyingGroups:
    """Service of the buying group endpoint."""

    def __init__(
        self,
        database: Database,
        index: SearchIndex,
        records: RecordLookup,
        ranker: Ranker,
        charged_calls: ChargedCalls,
        previews: Previews,
        renderer: AnswerRenderer,
    ) -> None:
        self._database = database
        self._index = index
        self._records = records
        self._ranker = ranker
        self._charged_calls = charged_calls
        self.previews = previews
        self.renderer = renderer

    def find(self, request: Request, body: BuyingGroupRequest) -> ChargedCall["FoundGroups"]:
        """Return a call. Raises BadRequest for a malformed company, and Loading without an index."""
        queries = _queries(self._records.queries, body.companies)
        _ = self._index.current  # raises Loading early, before the request waits for a thread or the writer
        return self._charged_calls.ready(request, _Find(self, self._database, request, body, queries))

    def rank_now(
        self, queries: Sequence[CompanyQuery], personas: Collection[Persona], at: float
    ) -> "RankedGroups":
        """Rank in a read transaction of its own."""
        with self._database.read() as session:
            return self.rank(session, queries, personas, at)

    def rank(
        self,
        session: Session,
        queries: Sequence[CompanyQuery],
        personas: Collection[Persona],
        at: float,
        *,
        with_matched: bool = False,
    ) -> "RankedGroups":
        """Look companies up and rank their contacts, with the conditions that each meets if that is asked for."""
        found = self._records.companies(session, queries)
        numbers = list(dict.fromkeys(one.number for one in found if one is not None))
        search = SearchSnapshot.of(session, self._index)
        ranked = self._ranker.rank(search, numbers, personas, day_of(at), with_matched=with_matched)
        groups = dict(zip(numbers, ranked, strict=True))
        return RankedGroups([(one.number, groups[one.number]) if one else None for one in found])


class RankedGroups(NamedTuple):
    """Number and all ranked contacts of each requested company, None for one that is not found."""

    slots: list[tuple[int, RankedGroup] | None]

    def sizes(self, limit: int) -> list[int]:
        return [min(len(slot[1]), limit) if slot else 0 for slot in self.slots]


class FoundGroups(NamedTuple):
    """Content of an answer: the groups on one page."""

    results: Sequence[bytes]
    """Rendered group of each company on the page."""
    groups: Sequence[GroupView]
    page: int
    size: int
    total: int

    @property
    def contacts(self) -> list[int]:
        """Contacts of all groups; one of a company that is requested twice occurs twice."""
        return [member.number for group in self.groups for member in group.members]


class MemoGroup(NamedTuple):
    """Group of the first answer."""

    position: int
    company: int | None
    contacts: list[int]


class GroupsMemo(Memo, frozen=True):
    """What a replay shows again."""

    groups: list[MemoGroup]


class _Find(ChargedWork[RankedGroups, FoundGroups]):
    """Groups of a call."""

    memo = GroupsMemo
    price_key = PRICE_KEY
    reads = True

    def __init__(
        self,
        service: BuyingGroups,
        database: Database,
        request: Request,
        body: BuyingGroupRequest,
        queries: Sequence[CompanyQuery],
    ) -> None:
        self._service = service
        self._database = database
        self._request = request
        self._body = body
        self._queries = queries

    def read(self) -> FoundGroups:
        with self._database.read() as session:
            groups = self._service.rank(session, self._queries, self._personas, self._request.at)
            return self._on_page(session, groups)

    def prepare(self) -> RankedGroups:
        return self._service.rank_now(self._queries, self._personas, self._request.at)

    def compute(self, session: Session, prepared: RankedGroups) -> PricedContent[FoundGroups]:
        found = self._on_page(session, prepared)
        memo = GroupsMemo(
            [
                MemoGroup(group.position, group.company, [member.number for member in group.members])
                for group in found.groups
            ]
        )
        return PricedContent(found, memo, quantities={PRICE_KEY: len(set(found.contacts))})

    def replay(self, session: Session, prepared: RankedGroups, memo: GroupsMemo) -> FoundGroups:
        """Return the contacts of the first answer that still have a requested role at the company.

        They are in today's order with today's roles and scores; the total is today's.
        """
        views = []
        for position, company, numbers in memo.groups:
            slot = prepared.slots[position]
            if company is None or slot is None or slot[0] != company:
                views.append(GroupView(position, None, []))
                continue
            kept = set(numbers)
            places = [place for place, number in enumerate(slot[1].numbers.tolist()) if number in kept]
            views.append(GroupView(position, company, _members(slot[1], places)))
        return self._existing(session, prepared, views)

    def _on_page(self, session: Session, groups: RankedGroups) -> FoundGroups:
        views = []
        for position, start, end in page_ranges(groups.sizes(self._limit), self._page, self._size):
            slot = groups.slots[position]
            if slot is None:
                views.append(GroupView(position, None, []))
            else:
                views.append(GroupView(position, slot[0], _members(slot[1], range(start, end))))
        return self._existing(session, groups, views)

    def _existing(self, session: Session, groups: RankedGroups, views: list[GroupView]) -> FoundGroups:
        """Return the page without contacts that were removed since the ranking."""
        numbers = {member.number for view in views for member in view.members}
        previews = self._service.previews(session, self._request.caller, numbers)
        existing = [
            view._replace(members=[one for one in view.members if one.number in previews]) for view in views
        ]
        if self._page:
            existing = [view for view in existing if view.members]
        results = self._service.renderer.results(self._body.companies, existing, previews)
        return FoundGroups(results, existing, self._page, self._size, sum(groups.sizes(self._limit)))

    @property
    def _personas(self) -> Collection[Persona]:
        return () if self._body.personas is UNSET else self._body.personas

    @property
    def _limit(self) -> int:
        limit = self._body.contacts_limit
        return DEFAULT_LIMIT if limit is UNSET else limit

    @property
    def _page(self) -> int:
        pagination = self._body.pagination
        return 0 if pagination is UNSET or pagination.page is UNSET else pagination.page

    @property
    def _size(self) -> int:
        pagination = self._body.pagination
        return DEFAULT_SIZE if pagination is UNSET or pagination.size is UNSET else pagination.size


def _queries(reader: QueryReader, items: Sequence[BuyingGroupCompany]) -> list[CompanyQuery]:
    """Return the query of each company. Raises BadRequest for a malformed one."""
    return [_query(reader, item, ("companies", index)) for index, item in enumerate(items)]


def _query(reader: QueryReader, item: BuyingGroupCompany, path: ValuePath) -> CompanyQuery:
    if (item.domain is UNSET) == (item.id is UNSET):
        raise_problem(describe_problem("must have exactly one of domain, id", path))
    return reader.company(path, id=item.id, domain=item.domain)


def _members(group: RankedGroup, places: Sequence[int]) -> list[MemberView]:
    return [
        MemberView(int(group.numbers[place]), group.roles(place), int(group.scores[place]))
        for place in places
    ]


# --- pages ---


class CompanyRange(NamedTuple):
    """Contacts of one company that are on a page."""

    company: int
    """Position of the company in the request."""
    start: int
    end: int


def page_ranges(sizes: Sequence[int], page: int, size: int) -> list[CompanyRange]:
    """Return the companies on a page with their range of contacts; `sizes` are their numbers of contacts.

    Pages cut the contacts company after company. The first page also has the companies without contacts.
    """
    first, end = page * size, (page + 1) * size
    ranges, passed = [], 0
    for company, count in enumerate(sizes):
        start, stop = max(first - passed, 0), min(end - passed, count)
        if start < stop or (count == 0 and page == 0):
            ranges.append(CompanyRange(company, start, max(start, stop)))
        passed += count
    return ranges

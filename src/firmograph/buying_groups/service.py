"""Buying groups of a few companies: look-up, ranking, one page of contacts, charge.

See docs/reference/buying-groups.md.

The index is asked and the contacts are ranked before the write transaction of the charge, which reads the previews, so
that a person removed in between is neither shown nor charged.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.billing.charged_call import ChargedCalls, PricedContent
from firmograph.buying_groups.answers import AnswerRenderer, GroupView, MemberView
from firmograph.buying_groups.ranking import RankedGroup, Ranker
from firmograph.buying_groups.shapes import (
    DEFAULT_LIMIT,
    DEFAULT_SIZE,
    BuyingGroupCompany,
    BuyingGroupRequest,
)
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

    def find(self, call: Call[BuyingGroupRequest]) -> Deferred:
        queries = _queries(self._records.queries, call.body.companies)
        _ = self._index.current  # raises Loading early, before the request waits for a thread or the writer
        work = _FoundGroups(self, call, queries)
        if call.idempotency_key is None and not call.account.plan.is_priced(PRICE_KEY):
            return Deferred(lambda: self._read(work), writes=False)
        return Deferred(lambda: self._charged_calls.run(call, work))

    def _read(self, work: "_FoundGroups") -> ChargedResponse:
        with self._database.read() as session:
            page = work.page(session, self.rank(session, work.call, work.queries))
            return ChargedResponse(work.render(session, page, work.call.request_id, 0), 0)

    def rank_now(self, call: Call[BuyingGroupRequest], queries: Sequence[CompanyQuery]) -> "_Groups":
        """Rank in a read transaction of its own."""
        with self._database.read() as session:
            return self.rank(session, call, queries)

    def rank(
        self, session: Session, call: Call[BuyingGroupRequest], queries: Sequence[CompanyQuery]
    ) -> "_Groups":
        """Look the companies up and rank their contacts."""
        found = self._records.companies(session, queries)
        numbers = list(dict.fromkeys(one.number for one in found if one is not None))
        search = SearchSnapshot.of(session, self._index)
        personas = () if call.body.personas is UNSET else call.body.personas
        ranked = self._ranker.rank(search, numbers, personas, _day(call))
        groups = dict(zip(numbers, ranked, strict=True))
        return _Groups([(one.number, groups[one.number]) if one else None for one in found])


class _Groups(NamedTuple):
    """Number and all ranked contacts of each requested company, None for one that is not found."""

    slots: list[tuple[int, RankedGroup] | None]

    def sizes(self, limit: int) -> list[int]:
        return [min(len(slot[1]), limit) if slot else 0 for slot in self.slots]


class _Page(NamedTuple):
    """Groups on one page."""

    groups: list[GroupView]
    previews: Mapping[int, bytes]
    total: int

    @property
    def contacts(self) -> list[int]:
        """Contacts of all groups; one of a company that is requested twice occurs twice."""
        return [member.number for group in self.groups for member in group.members]


class _FoundGroups(NamedTuple):
    """Call in the steps of `charged_call.ChargedWork`."""

    service: BuyingGroups
    call: Call[BuyingGroupRequest]
    queries: Sequence[CompanyQuery]

    def prepare(self) -> _Groups:
        return self.service.rank_now(self.call, self.queries)

    def compute(self, session: Session, prepared: _Groups) -> PricedContent[_Page]:
        page = self.page(session, prepared)
        memo = ([_memo_of(group) for group in page.groups],)
        return PricedContent(page, memo, quantities={PRICE_KEY: len(set(page.contacts))})

    def replay(self, session: Session, prepared: _Groups, memo: Sequence[Any]) -> _Page:
        """Return the contacts of the first answer that still have a requested role at the company.

        They are in today's order with today's roles and scores; the total is today's.
        """
        (entries,) = memo
        views = []
        for position, company, numbers in entries:
            slot = prepared.slots[position]
            if company is None or slot is None or slot[0] != company:
                views.append(GroupView(position, None, []))
                continue
            kept = set(numbers)
            places = [place for place, number in enumerate(slot[1].numbers.tolist()) if number in kept]
            views.append(GroupView(position, company, _members(slot[1], places)))
        return self._existing(session, prepared, views)

    def page(self, session: Session, groups: _Groups) -> _Page:
        views = []
        for position, start, end in page_ranges(groups.sizes(self._limit), self._page, self._size):
            slot = groups.slots[position]
            if slot is None:
                views.append(GroupView(position, None, []))
            else:
                views.append(GroupView(position, slot[0], _members(slot[1], range(start, end))))
        return self._existing(session, groups, views)

    def _existing(self, session: Session, groups: _Groups, views: list[GroupView]) -> _Page:
        """Return the page without contacts that were removed since the ranking."""
        numbers = {member.number for view in views for member in view.members}
        previews = self.service.previews(session, self.call.account, numbers)
        existing = [
            view._replace(members=[one for one in view.members if one.number in previews]) for view in views
        ]
        if self._page:
            existing = [view for view in existing if view.members]
        return _Page(existing, previews, sum(groups.sizes(self._limit)))

    def render(self, session: Session, content: _Page, request_id: str, credits: int) -> bytes:
        pagination = b'"pagination":{"page":%d,"size":%d,"total":%d},' % (
            self._page,
            self._size,
            content.total,
        )
        items = self.call.body.companies
        return self.service.renderer.render(
            request_id, items, content.groups, content.previews, credits, pagination
        )

    @property
    def _limit(self) -> int:
        limit = self.call.body.contacts_limit
        return DEFAULT_LIMIT if limit is UNSET else limit

    @property
    def _page(self) -> int:
        pagination = self.call.body.pagination
        return 0 if pagination is UNSET or pagination.page is UNSET else pagination.page

    @property
    def _size(self) -> int:
        pagination = self.call.body.pagination
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


def _memo_of(group: GroupView) -> tuple[int, int | None, list[int]]:
    return group.position, group.company, [member.number for member in group.members]


def _day(call: Call[Any]) -> date:
    return day_of(call.at)


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

"""Prospecting: one page of the contacts or companies that match filters, with their exact total.

See docs/reference/prospecting.md#charges-and-plans.

Search, count and previews use one state: one transaction of the database, and the engine without contacts
suppressed by then. Priced previews are a charged call (`billing/charged_call.py`): the engine is asked before the write
transaction, which reads the previews, so that a record removed in between is neither shown nor charged.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any, NamedTuple

from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.envelope import render_answer
from firmograph.api.table_rows import TableRows, requested_rows
from firmograph.billing.charged_call import ChargedCalls, PricedContent
from firmograph.caller import AccountCaller
from firmograph.database.connection import Database, Session
from firmograph.directory.identity import Digests
from firmograph.directory.previews import with_signal_types
from firmograph.kit.clock import day_of
from firmograph.prospecting.engines.port import SearchIndex
from firmograph.prospecting.engines.query import Query, SearchResult
from firmograph.prospecting.filters import compiler, requests
from firmograph.prospecting.filters.filter_reader import Resolver
from firmograph.prospecting.filters.record_resolver import DatabaseResolver
from firmograph.prospecting.filters.signal import requested_signals
from firmograph.prospecting.search_snapshot import SearchSnapshot
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.activity_store import active_types

EXCLUDE_DNC = "excludeDnc"
"""Plan feature for excluding do-not-call numbers."""
SIGNALS = "signals"
"""Plan feature for filters by signals."""

Previews = Callable[[Session, AccountCaller, Collection[int]], Mapping[int, bytes]]
"""Returns the previews of existing records by number. Supplied by another capability, as the search previews."""


class _Kind(NamedTuple):
    """Differences between the prospecting of contacts and of companies."""

    entity: Entity
    previews: Previews
    price_key: str
    query: Callable[[Any, Resolver, date], Query]


class _Page(NamedTuple):
    query: Query
    result: SearchResult


class Prospecting:
    """The two searches."""

    def __init__(
        self,
        database: Database,
        index: SearchIndex,
        tokens: RecordIds,
        digests: Digests,
        charged_calls: ChargedCalls,
        previews: Mapping[Entity, Previews],
    ) -> None:
        self._database = database
        self._index = index
        self._tokens = tokens
        self._digests = digests
        self._charged_calls = charged_calls
        contact, company = Entity.CONTACT, Entity.COMPANY
        self._contacts = _Kind(contact, previews[contact], "contactSearch", compiler.contact_query)
        self._companies = _Kind(company, previews[company], "companySearch", compiler.company_query)

    def contacts(self, call: Call[requests.ContactProspecting]) -> Deferred:
        caller = call.account
        if compiler.excludes_do_not_call(call.body):
            caller.plan.check(EXCLUDE_DNC)
        return self._answer(call, self._contacts)

    def companies(self, call: Call[requests.CompanyProspecting]) -> Deferred:
        return self._answer(call, self._companies)

    def _answer(self, call: Call[Any], kind: _Kind) -> Deferred:
        if compiler.filters_by_signals(call.body):
            call.account.plan.check(SIGNALS)
        _ = self._index.current  # raises Loading early, before the request waits for a thread or the writer
        rows = requested_rows(call, kind.entity)
        # what is written to a table may cost credits, so a repeated key must be known
        is_kept = rows is not None and call.idempotency_key is not None
        if is_kept or call.account.plan.is_priced(kind.price_key):
            work = _PricedSearch(self, call, kind)
            of_table = None if rows is None else partial(_table_rows, rows)
            return Deferred(lambda: self._charged_calls.run(call, work, of_table))
        return Deferred(lambda: self._read(call, kind, rows), writes=False)

    def search(self, call: Call[Any], kind: _Kind) -> _Page:
        """Search in a read transaction of its own."""
        with self._database.read() as session:
            return self._page(session, call, kind)

    def _page(self, session: Session, call: Call[Any], kind: _Kind) -> _Page:
        search = SearchSnapshot.of(session, self._index)
        records = DatabaseResolver(session, search, self._tokens, self._digests)
        query = kind.query(call.body, records, day_of(call.at))
        return _Page(query, search.search(query))

    def _read(self, call: Call[Any], kind: _Kind, rows: TableRows | None) -> bytes | ChargedResponse:
        with self._database.read() as session:
            page = self._page(session, call, kind)
            previews = _previews(session, call, kind, page.query, page.result.numbers)
        body = _render(call.request_id, previews, page, 0)
        return body if rows is None else ChargedResponse(body, 0, _table_rows(rows, (page, previews)))


_RenderedPreviews = Mapping[int, bytes]


def _table_rows(rows: TableRows, content: tuple[_Page, _RenderedPreviews]) -> TableRows:
    return rows._replace(numbers=list(content[1]))


class _PricedSearch(NamedTuple):
    """Search with priced previews in the steps of `charged_call.ChargedWork`."""

    prospecting: Prospecting
    call: Call[Any]
    kind: _Kind

    def prepare(self) -> _Page:
        return self.prospecting.search(self.call, self.kind)

    def compute(self, session: Session, prepared: _Page) -> PricedContent[tuple[_Page, _RenderedPreviews]]:
        previews = self._previews(session, prepared, prepared.result.numbers)
        quantities = {self.kind.price_key: len(previews)}
        return PricedContent((prepared, previews), (len(previews), list(previews)), quantities=quantities)

    def replay(
        self, session: Session, prepared: _Page, memo: Sequence[Any]
    ) -> tuple[_Page, _RenderedPreviews]:
        """Return the results of the first response that still exist, with the current total."""
        _, numbers, *_ = memo
        return prepared, self._previews(session, prepared, numbers)

    def render(
        self, session: Session, content: tuple[_Page, _RenderedPreviews], request_id: str, credits: int
    ) -> bytes:
        page, previews = content
        return _render(request_id, previews, page, credits)

    def _previews(self, session: Session, page: _Page, numbers: list[int]) -> _RenderedPreviews:
        return _previews(session, self.call, self.kind, page.query, numbers)


def _previews(
    session: Session, call: Call[Any], kind: _Kind, query: Query, numbers: list[int]
) -> dict[int, bytes]:
    """Return the previews of existing records in their order, with the requested signals found."""
    previews = kind.previews(session, call.account, numbers)
    active = active_types(session, query.entity, numbers, requested_signals(query))
    return {
        number: with_signal_types(previews[number], active.get(number, ()))
        for number in numbers
        if number in previews
    }


def _render(request_id: str, previews: _RenderedPreviews, page: _Page, credits: int) -> bytes:
    query, result = page
    total_description = ""
    if query.max_per_company is not None:
        cap = f"{query.max_per_company} contact{'s' * (query.max_per_company != 1)}"
        total_description = (
            f',"totalDescription":"Exact count of what is left with at most {cap} per company"'
        )
    pagination = b'"pagination":{"page":%d,"size":%d,"total":%d,"totalGuaranteed":true%s},' % (
        query.offset // query.size,
        query.size,
        result.total,
        total_description.encode(),
    )
    return render_answer(request_id, previews.values(), credits, len(previews), pagination)

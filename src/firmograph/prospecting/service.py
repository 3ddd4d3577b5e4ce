"""Prospecting: one page of the contacts or companies that match filters, with their exact total.

See docs/reference/prospecting.md#charges-and-plans.

Search, count and results use one state: one transaction of the database, and the engine without contacts
suppressed by then. Priced results are a charged call (`billing/charged_call.py`): the engine is asked before the write
transaction, which reads the results, so that a record removed in between is neither shown nor charged.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any, Final, NamedTuple

from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.table_rows import TableRows
from firmograph.billing.charged_call import ChargedCalls, PricedContent
from firmograph.caller import AccountCaller
from firmograph.database.connection import Database, Session
from firmograph.directory.identity import Digests
from firmograph.directory.previews import with_signal_types
from firmograph.kit.clock import day_of
from firmograph.prospecting.engines.port import SearchIndex
from firmograph.prospecting.engines.query import Query, SearchResult
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
"""Returns the rendered results of existing records by number. Supplied by another capability, as previews are."""


class SearchPage(NamedTuple):
    """One page of the matching records, and the query that it answers."""

    query: Query
    result: SearchResult

    @property
    def number(self) -> int:
        return self.query.offset // self.query.size


Results = Mapping[int, bytes]
"""Rendered results by record number, in order."""
PRICE_KEYS: Final = {Entity.CONTACT: "contactSearch", Entity.COMPANY: "companySearch"}


class SearchRequest(NamedTuple):
    """Search of one generation: how its filters are read, and how its answer is rendered."""

    call: Call[Any]
    entity: Entity
    compile: Callable[[Resolver, date], Query]
    """Returns the query of the filters on a day (UTC). Raises BadRequest with the path of each problem."""
    results: Previews
    render: Callable[[str, Results, SearchPage, int], bytes]
    """Returns the body of the answer, given its request id and the credits charged."""
    features: Sequence[str] = ()
    """Plan features that the request needs."""
    table_rows: TableRows | None = None
    """What is written to a table afterwards, without numbers."""

    @property
    def price_key(self) -> str:
        return PRICE_KEYS[self.entity]

    def writes(self) -> bool:
        """Return whether the call may cost credits, or its results may once they are written to a table."""
        # so a repeated key must be known
        is_kept = self.table_rows is not None and self.call.idempotency_key is not None
        return is_kept or self.call.account.plan.is_priced(self.price_key)


class Prospecting:
    """Search by filters, for both generations."""

    def __init__(
        self,
        database: Database,
        index: SearchIndex,
        tokens: RecordIds,
        digests: Digests,
        charged_calls: ChargedCalls,
    ) -> None:
        self._database = database
        self._index = index
        self._tokens = tokens
        self._digests = digests
        self._charged_calls = charged_calls

    def answer(self, request: SearchRequest) -> Deferred:
        for feature in request.features:
            request.call.account.plan.check(feature)
        _ = self._index.current  # raises Loading early, before the request waits for a thread or the writer
        if request.writes():
            rows = request.table_rows
            of_table = None if rows is None else partial(_table_rows, rows)
            work = _PricedSearch(self, request)
            return Deferred(lambda: self._charged_calls.run(request.call, work, of_table))
        return Deferred(lambda: self._read(request), writes=False)

    def search(self, request: SearchRequest) -> SearchPage:
        """Search in a read transaction of its own."""
        with self._database.read() as session:
            return self._page(session, request)

    def _page(self, session: Session, request: SearchRequest) -> SearchPage:
        search = SearchSnapshot.of(session, self._index)
        records = DatabaseResolver(session, search, self._tokens, self._digests)
        query = request.compile(records, day_of(request.call.at))
        return SearchPage(query, search.search(query))

    def _read(self, request: SearchRequest) -> bytes | ChargedResponse:
        with self._database.read() as session:
            page = self._page(session, request)
            results = _results(session, request, page.query, page.result.numbers)
        body = request.render(request.call.request_id, results, page, 0)
        rows = request.table_rows
        return body if rows is None else ChargedResponse(body, 0, _table_rows(rows, (page, results)))


def _table_rows(rows: TableRows, content: tuple[SearchPage, Results]) -> TableRows:
    return rows._replace(numbers=list(content[1]))


class _PricedSearch(NamedTuple):
    """Search with priced results in the steps of `charged_call.ChargedWork`."""

    prospecting: Prospecting
    request: SearchRequest

    def prepare(self) -> SearchPage:
        return self.prospecting.search(self.request)

    def compute(self, session: Session, prepared: SearchPage) -> PricedContent[tuple[SearchPage, Results]]:
        results = self._results(session, prepared, prepared.result.numbers)
        quantities = {self.request.price_key: len(results)}
        return PricedContent((prepared, results), (list(results),), quantities=quantities)

    def replay(
        self, session: Session, prepared: SearchPage, memo: Sequence[Any]
    ) -> tuple[SearchPage, Results]:
        """Return the results of the first response that still exist, with the current total."""
        (numbers,) = memo
        return prepared, self._results(session, prepared, numbers)

    def render(
        self, session: Session, content: tuple[SearchPage, Results], request_id: str, credits: int
    ) -> bytes:
        page, results = content
        return self.request.render(request_id, results, page, credits)

    def _results(self, session: Session, page: SearchPage, numbers: list[int]) -> Results:
        return _results(session, self.request, page.query, numbers)


def _results(session: Session, request: SearchRequest, query: Query, numbers: list[int]) -> dict[int, bytes]:
    """Return the results of existing records in their order, with the requested signals found."""
    results = request.results(session, request.call.account, numbers)
    active = active_types(session, query.entity, numbers, requested_signals(query))
    return {
        number: with_signal_types(results[number], active.get(number, ()))
        for number in numbers
        if number in results
    }

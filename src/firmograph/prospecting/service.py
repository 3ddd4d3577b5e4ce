"""Prospecting: one page of the contacts or companies that match filters, with their exact total.

See docs/reference/prospecting.md#charges-and-plans.

Search, count and results use one state: one transaction of the database, and the engine without contacts
suppressed by then. Priced results are a charged call (`billing/charged_call.py`): the engine is asked before the write
transaction, which reads the results, so that a record removed in between is neither shown nor charged.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain, islice
from typing import Final, NamedTuple

from firmograph.billing.charged_call import ChargedCall, ChargedCalls, ChargedWork, PricedContent
from firmograph.billing.idempotency import Memo
from firmograph.caller import AccountCaller, InstallationOperator, PreviewCaller, Request
from firmograph.database.connection import Database, Session
from firmograph.directory.identity import Digests
from firmograph.directory.lookup.identifier_lookup import IdentifierLookup
from firmograph.directory.lookup.identifiers import CompanyIdentifiers, ContactIdentifiers
from firmograph.directory.previews import with_signal_types
from firmograph.kit.clock import day_of
from firmograph.prospecting.engines.port import SearchIndex
from firmograph.prospecting.engines.query import Query, SearchResult
from firmograph.prospecting.filters.filter_reader import Resolver
from firmograph.prospecting.filters.query_builder import excludes_marked
from firmograph.prospecting.filters.signal import requested_signals
from firmograph.prospecting.search_snapshot import SearchSnapshot
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.activity.store import active_types

EXCLUDE_DNC = "excludeDnc"
"""Plan feature for excluding do-not-call numbers."""
SIGNALS = "signals"
"""Plan feature for filters by signals."""

Results = Mapping[int, bytes]
"""Rendered results by record number."""

RenderResults = Callable[[Session, AccountCaller, Collection[int]], Results]
"""Returns the results of existing records. Supplied by another capability, as previews are."""

Previews = Callable[[Session, PreviewCaller, Collection[int]], Results]
"""Returns previews, which the operator without an account sees as well."""

Compile = Callable[[Resolver, date], Query]
"""Returns the query of the filters on a day (UTC). Raises BadRequest with the path of each problem."""

_BATCH: Final = 1_000
"""Records of one query of the database."""


class DatabaseResolver:
    """`filter_reader.Resolver` on one state of the database, with at most two statements per list."""

    def __init__(self, session: Session, search: SearchSnapshot, tokens: RecordIds, digests: Digests) -> None:
        self._session = session
        self._search = search
        self._lookup = IdentifierLookup(tokens, digests)

    def contacts(self, given: ContactIdentifiers) -> frozenset[int]:
        return self._lookup.contacts(self._session, given).every()

    def companies(self, given: CompanyIdentifiers) -> frozenset[int]:
        return self._lookup.companies(self._session, given).every()

    def excluded_companies(self, given: CompanyIdentifiers) -> frozenset[int]:
        return self._lookup.excluded_companies(self._session, given).every()

    def postcode_centre(self, postcode: str) -> tuple[float, float] | None:
        return self._search.postcode_centre(postcode)


class SearchPage(NamedTuple):
    """One page of the matching records, and the query that it answers."""

    query: Query
    result: SearchResult

    @property
    def number(self) -> int:
        return self.query.offset // self.query.size


PRICE_KEYS: Final = {Entity.CONTACT: "contactSearch", Entity.COMPANY: "companySearch"}


class FoundPage(NamedTuple):
    """Content of an answer."""

    page: SearchPage
    results: Results
    """In order."""


class SearchRequest(NamedTuple):
    """Search of one generation: how its filters are read, and how its results are rendered."""

    request: Request
    entity: Entity
    compile: Compile
    results: RenderResults
    features: Sequence[str] = ()
    """Plan features that the request needs."""
    keeps_key: bool = False
    """Whether an `Idempotency-Key` counts even if the search is free, as what follows the answer may cost."""


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

    def ready(self, asked: SearchRequest) -> ChargedCall[FoundPage]:
        """Return a call. Raises Forbidden for a feature that the plan lacks, and Loading without an index."""
        self._check_features(asked)
        _ = self._index.current  # raises Loading early, before the request waits for a thread or the writer
        return self._charged_calls.ready(asked.request, _Search(self, self._database, asked))

    def total(self, asked: SearchRequest) -> int:
        """Return the number of matches without a result, which costs nothing; raises as `ready`."""
        self._check_features(asked)
        with self._database.read() as session:
            search, query = self._compiled(session, asked.compile, asked.request.at)
            return search.search(replace(query, offset=0, size=0)).total

    def every_match(self, compile: Compile, previews: Previews, at: float) -> "Matches":
        """Return all records that match, for the operator without an account."""
        with self._database.read() as session:
            search, query = self._compiled(session, compile, at)
        return Matches(self._database, search, query, previews)

    def search(self, asked: SearchRequest) -> SearchPage:
        """Search in a read transaction of its own."""
        with self._database.read() as session:
            return self.page(session, asked)

    def page(self, session: Session, asked: SearchRequest) -> SearchPage:
        search, query = self._compiled(session, asked.compile, asked.request.at)
        return SearchPage(query, search.search(query))

    def _check_features(self, asked: SearchRequest) -> None:
        for feature in asked.features:
            asked.request.caller.plan.check(feature)

    def _compiled(self, session: Session, compile: Compile, at: float) -> tuple[SearchSnapshot, Query]:
        search = SearchSnapshot.of(session, self._index)
        records = DatabaseResolver(session, search, self._tokens, self._digests)
        query = compile(records, day_of(at))
        return search.without_marked(session) if excludes_marked(query) else search, query


class Matches:
    """All records that match a query, on one state of the index."""

    def __init__(self, database: Database, search: SearchSnapshot, query: Query, previews: Previews) -> None:
        self.query = query
        self.total = search.search(replace(query, offset=0, size=0)).total
        self._database = database
        self._search = search
        self._previews = previews

    def batches(self, start: int, end: int) -> Iterator[list[int]]:
        """Yield the numbers of a range in order; some may have been deleted since."""
        numbers = islice(chain.from_iterable(self._search.matches(self.query)), start, end)
        while batch := list(islice(numbers, _BATCH)):
            yield batch

    def previews(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the previews of a range in order, without records that have been deleted since."""
        for batch in self.batches(start, end):
            with self._database.read() as session:
                previews = self._previews(session, InstallationOperator(), batch)
                shown = _in_order(session, self.query, batch, previews)
            yield from shown.values()


class SearchMemo(Memo, frozen=True):
    """What a replay shows again."""

    records: list[int]


class _Search(ChargedWork[SearchPage, FoundPage]):
    """Search with its results."""

    memo = SearchMemo
    reads = True

    def __init__(self, prospecting: Prospecting, database: Database, asked: SearchRequest) -> None:
        self._prospecting = prospecting
        self._database = database
        self._asked = asked
        self.price_key = PRICE_KEYS[asked.entity]
        self.keeps_key = asked.keeps_key

    def read(self) -> FoundPage:
        with self._database.read() as session:
            page = self._prospecting.page(session, self._asked)
            return self._found(session, page, page.result.numbers)

    def prepare(self) -> SearchPage:
        return self._prospecting.search(self._asked)

    def compute(self, session: Session, prepared: SearchPage) -> PricedContent[FoundPage]:
        found = self._found(session, prepared, prepared.result.numbers)
        quantities = {PRICE_KEYS[self._asked.entity]: len(found.results)}
        return PricedContent(found, SearchMemo(list(found.results)), quantities=quantities)

    def replay(self, session: Session, prepared: SearchPage, memo: SearchMemo) -> FoundPage:
        """Return the results of the first response that still exist, with the current total."""
        return self._found(session, prepared, memo.records)

    def _found(self, session: Session, page: SearchPage, numbers: list[int]) -> FoundPage:
        results = self._asked.results(session, self._asked.request.caller, numbers)
        return FoundPage(page, _in_order(session, page.query, numbers, results))


def _in_order(session: Session, query: Query, numbers: Collection[int], results: Results) -> Results:
    """Return the results of existing records in order, with the requested signals found."""
    active = active_types(session, query.entity, numbers, requested_signals(query))
    return {
        number: with_signal_types(results[number], active.get(number, ()))
        for number in numbers
        if number in results
    }

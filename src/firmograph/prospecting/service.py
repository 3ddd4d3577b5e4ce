"""Prospecting: one page of the contacts or companies that match filters, with their exact total.

See docs/reference/prospecting.md#charges-and-plans.

Search, count and previews use one state: one transaction of the database, and the engine without contacts
suppressed by then. If previews are priced, the same transaction charges the credits and stores the idempotency key,
so that charge and response happen together or not at all.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import date
from typing import Any, NamedTuple

from firmograph.accounts.caller import Caller
from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.billing import ledger
from firmograph.billing.idempotency import CachedResponse, Idempotency, KeyedCall, keyed_call
from firmograph.database.connection import Database, Session, account_scope
from firmograph.directory.identity import Digests
from firmograph.directory.previews import with_signal_types
from firmograph.kit.clock import day_of
from firmograph.prospecting.engines.query import Query, SearchResult
from firmograph.prospecting.filters import compiler, requests
from firmograph.prospecting.filters.filter_reader import Resolver
from firmograph.prospecting.filters.record_lookup import RecordLookup
from firmograph.prospecting.filters.signal import requested_signals
from firmograph.prospecting.indexing.active_engine import SearchIndex
from firmograph.prospecting.indexing.snapshot import engine_snapshot
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.activity_store import active_types

EXCLUDE_DNC = "excludeDnc"
"""Plan feature for excluding do-not-call numbers."""
SIGNALS = "signals"
"""Plan feature for filters by signals."""

Previews = Callable[[Session, Caller, Collection[int]], Mapping[int, bytes]]
"""Returns the previews of existing records by number. Supplied by another capability, as the search previews."""


class _Kind(NamedTuple):
    """Differences between the prospecting of contacts and of companies."""

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
        idempotency: Idempotency,
        previews: Mapping[Entity, Previews],
    ) -> None:
        self._database = database
        self._index = index
        self._tokens = tokens
        self._digests = digests
        self._idempotency = idempotency
        self._contacts = _Kind(previews[Entity.CONTACT], "contactSearch", compiler.contact_query)
        self._companies = _Kind(previews[Entity.COMPANY], "companySearch", compiler.company_query)

    def contacts(self, call: Call[requests.ContactProspecting]) -> Deferred:
        caller: Caller = call.caller
        if compiler.excludes_do_not_call(call.body):
            caller.plan.check(EXCLUDE_DNC)
        return self._answer(call, self._contacts)

    def companies(self, call: Call[requests.CompanyProspecting]) -> Deferred:
        return self._answer(call, self._companies)

    def _answer(self, call: Call[Any], kind: _Kind) -> Deferred:
        if compiler.filters_by_signals(call.body):
            call.caller.plan.check(SIGNALS)
        _ = self._index.current  # raises Loading early, before the request waits for a thread or the writer
        if call.caller.plan.is_priced(kind.price_key):
            return Deferred(lambda: self._charge(call, kind))
        return Deferred(lambda: self._read(call, kind), writes=False)

    def _page(self, session: Session, call: Call[Any], kind: _Kind) -> _Page:
        engine = engine_snapshot(session, self._index)
        records = RecordLookup(session, engine, self._tokens, self._digests)
        query = kind.query(call.body, records, day_of(call.at))
        return _Page(query, engine.search(query))

    def _read(self, call: Call[Any], kind: _Kind) -> bytes:
        with self._database.read() as session:
            page = self._page(session, call, kind)
            previews = _previews(session, call, kind, page.query, page.result.numbers)
        return _render(call.request_id, previews.values(), page, 0)

    # --- priced previews ---

    def _charge(self, call: Call[Any], kind: _Kind) -> ChargedResponse:
        keyed = keyed_call(call)
        with (
            self._idempotency.running(keyed),
            self._database.write(account_scope(call.caller.account_id)) as session,
        ):
            cached = self._idempotency.find(session, keyed)
            if cached is not None:
                return ChargedResponse(self._replay(session, call, kind, cached), 0)
            return self._charge_once(session, call, kind, keyed)

    def _charge_once(
        self, session: Session, call: Call[Any], kind: _Kind, keyed: KeyedCall | None
    ) -> ChargedResponse:
        caller: Caller = call.caller
        page = self._page(session, call, kind)
        previews = _previews(session, call, kind, page.query, page.result.numbers)
        credits = 0
        if previews:
            quantities = {kind.price_key: len(previews)}
            credits = ledger.charge(
                session, caller.account_id, caller.plan, quantities, call.request_id, call.at
            )
        if keyed is not None:
            cached = CachedResponse(call.request_id, credits, (len(previews), list(previews)))
            self._idempotency.keep(session, keyed, cached)
        return ChargedResponse(_render(call.request_id, previews.values(), page, credits), credits)

    def _replay(self, session: Session, call: Call[Any], kind: _Kind, cached: CachedResponse) -> bytes:
        """Return the results of the first response that still exist, for nothing, with the current total."""
        page = self._page(session, call, kind)
        _, numbers, *_ = cached.memo
        previews = _previews(session, call, kind, page.query, numbers)
        return _render(cached.request_id, previews.values(), page, cached.credits_charged)


def _previews(
    session: Session, call: Call[Any], kind: _Kind, query: Query, numbers: list[int]
) -> dict[int, bytes]:
    """Return the previews of existing records in their order, with the requested signals found."""
    previews = kind.previews(session, call.caller, numbers)
    active = active_types(session, query.entity, numbers, requested_signals(query))
    return {
        number: with_signal_types(previews[number], active.get(number, ()))
        for number in numbers
        if number in previews
    }


def _render(request_id: str, results: Collection[bytes], page: _Page, credits: int) -> bytes:
    query, result = page
    total_description = ""
    if query.max_per_company is not None:
        cap = f"{query.max_per_company} contact{'s' * (query.max_per_company != 1)}"
        total_description = (
            f',"totalDescription":"Exact count of what is left with at most {cap} per company"'
        )
    return (
        b'{"requestId":"%s","results":[%s],'
        b'"pagination":{"page":%d,"size":%d,"total":%d,"totalGuaranteed":true%s},'
        b'"billing":{"creditsCharged":%d,"resultsReturned":%d}}'
    ) % (
        request_id.encode(),
        b",".join(results),
        query.offset // query.size,
        query.size,
        result.total,
        total_description.encode(),
        credits,
        len(results),
    )

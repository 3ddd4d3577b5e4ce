"""Prospecting: a page of the contacts, or companies, that filters ask for, and how many there are in all.

Found, counted and shown at one state: in one transaction of the database, and of the engine without anyone who was
suppressed by then. Where previews are priced, that transaction also takes the credits and keeps the idempotency key
(decisions C), so that charge and answer happen together or not at all.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import date
from typing import Any, NamedTuple

from firmograph.accounts.caller import Caller
from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.billing import ledger
from firmograph.billing.idempotency import CachedResponse, Idempotency
from firmograph.database.connection import Database, Session, account_scope
from firmograph.directory.identity import Digests
from firmograph.directory.previews import with_signal_types
from firmograph.kit.clock import day_of
from firmograph.prospecting.engines.query import Query, SearchResult
from firmograph.prospecting.filters import compiler as filters
from firmograph.prospecting.filters import requests as shapes
from firmograph.prospecting.filters.filter_reader import Resolver
from firmograph.prospecting.filters.record_lookup import RecordLookup
from firmograph.prospecting.filters.signal import requested_signals
from firmograph.prospecting.indexing.active_engine import SearchIndex
from firmograph.prospecting.indexing.snapshot import engine_snapshot
from firmograph.security.record_ids import Entity, Tokens
from firmograph.signals.activity_store import active_types

EXCLUDE_DNC = "excludeDnc"
"""The feature of a plan that leaving out do-not-call numbers is (specification 5.8)."""
SIGNALS = "signals"
"""The feature that filters by signals are a part of (decisions F, Cost)."""

Previews = Callable[[Session, Caller, Collection[int]], Mapping[int, bytes]]
"""Shows those of some records that are held, by number: the previews of search, told by another capability."""


class _Kind(NamedTuple):
    """What prospecting of contacts and of companies do differently."""

    previews: Previews
    price_key: str
    query: Callable[[Any, Resolver, date], Query]


class _Page(NamedTuple):
    query: Query
    found: SearchResult


class Prospecting:
    """The two searches (specification 4.3)."""

    def __init__(
        self,
        database: Database,
        index: SearchIndex,
        tokens: Tokens,
        digests: Digests,
        idempotency: Idempotency,
        previews: Mapping[Entity, Previews],
    ) -> None:
        self._database = database
        self._index = index
        self._tokens = tokens
        self._digests = digests
        self._idempotency = idempotency
        self._contacts = _Kind(previews[Entity.CONTACT], "contactSearch", filters.contact_query)
        self._companies = _Kind(previews[Entity.COMPANY], "companySearch", filters.company_query)

    def contacts(self, call: Call[shapes.ContactProspecting]) -> Deferred:
        caller: Caller = call.caller
        if filters.excludes_do_not_call(call.body):
            caller.plan.check(EXCLUDE_DNC)
        return self._answer(call, self._contacts)

    def companies(self, call: Call[shapes.CompanyProspecting]) -> Deferred:
        return self._answer(call, self._companies)

    def _answer(self, call: Call[Any], kind: _Kind) -> Deferred:
        if filters.filters_by_signals(call.body):
            call.caller.plan.check(SIGNALS)
        _ = self._index.current  # refuses while it loads, before a thread or the writer is waited for
        if call.caller.plan.is_priced(kind.price_key):
            return Deferred(lambda: self._charge(call, kind))
        return Deferred(lambda: self._read(call, kind), writes=False)

    def _page(self, session: Session, call: Call[Any], kind: _Kind) -> _Page:
        engine = engine_snapshot(session, self._index)
        lookups = RecordLookup(session, engine, self._tokens, self._digests)
        query = kind.query(call.body, lookups, day_of(call.at))
        return _Page(query, engine.search(query))

    def _read(self, call: Call[Any], kind: _Kind) -> bytes:
        with self._database.read() as session:
            page = self._page(session, call, kind)
            shown = _shown(session, call, kind, page.query, page.found.numbers)
        return _rendered(call.request_id, shown.values(), page, 0)

    # --- Where previews are priced ---

    def _charge(self, call: Call[Any], kind: _Kind) -> ChargedResponse:
        account, key = call.caller.account_id, call.idempotency_key
        with (
            self._idempotency.running(account, call.path, key),
            self._database.write(account_scope(account)) as session,
        ):
            kept = self._idempotency.find(session, account, call.path, key, call.raw)
            if kept is not None:
                return ChargedResponse(self._replayed(session, call, kind, kept), 0)
            return self._charge_once(session, call, kind)

    def _charge_once(self, session: Session, call: Call[Any], kind: _Kind) -> ChargedResponse:
        caller: Caller = call.caller
        page = self._page(session, call, kind)
        shown = _shown(session, call, kind, page.query, page.found.numbers)
        credits = 0
        if shown:
            quantities = {kind.price_key: len(shown)}
            credits = ledger.charge(
                session, caller.account_id, caller.plan, quantities, call.request_id, call.at
            )
        if call.idempotency_key is not None:
            kept = CachedResponse(call.request_id, credits, len(shown), list(shown))
            self._idempotency.keep(
                session, caller.account_id, call.path, call.idempotency_key, call.raw, kept
            )
        return ChargedResponse(_rendered(call.request_id, shown.values(), page, credits), credits)

    def _replayed(self, session: Session, call: Call[Any], kind: _Kind, kept: CachedResponse) -> bytes:
        """The results of then that are still held, for nothing; the total is today's, as nobody suppressed counts."""
        page = self._page(session, call, kind)
        numbers = [number for number in kept.records if number is not None]
        shown = _shown(session, call, kind, page.query, numbers)
        return _rendered(kept.request_id, shown.values(), page, kept.credits_charged)


def _shown(
    session: Session, call: Call[Any], kind: _Kind, query: Query, numbers: list[int]
) -> dict[int, bytes]:
    """The previews of those that are still held, in their order, with what was found of the signals asked for."""
    shown = kind.previews(session, call.caller, numbers)
    active = active_types(session, query.entity, numbers, requested_signals(query))
    return {
        number: with_signal_types(shown[number], active.get(number, ()))
        for number in numbers
        if number in shown
    }


def _rendered(request_id: str, results: Collection[bytes], page: _Page, credits: int) -> bytes:
    query, found = page
    described = ""
    if query.max_per_company is not None:
        many = f"{query.max_per_company} contact{'s' * (query.max_per_company != 1)}"
        described = f',"totalDescription":"Exact count of what is left with at most {many} per company"'
    return (
        b'{"requestId":"%s","results":[%s],'
        b'"pagination":{"page":%d,"size":%d,"total":%d,"totalGuaranteed":true%s},'
        b'"billing":{"creditsCharged":%d,"resultsReturned":%d}}'
    ) % (
        request_id.encode(),
        b",".join(results),
        query.offset // query.size,
        query.size,
        found.total,
        described.encode(),
        credits,
        len(results),
    )

"""Contact enrich of an account with providers: what it lacks becomes asks, in the transaction of its charge."""

import uuid
from collections.abc import Sequence
from typing import NamedTuple, cast

from msgspec import UNSET

from firmograph.billing.charged_call import Charged, ChargedCall, ChargedCalls, PricedContent
from firmograph.billing.idempotency import CachedResponse, Idempotency
from firmograph.billing.paid_units import PaidUnits
from firmograph.caller import AccountCaller, ApiKeyCaller, Request
from firmograph.database.connection import AccountSession, Database, Session, account_scope
from firmograph.directory.data_points import CONTACT_UNITS
from firmograph.directory.lookup.queries import QueryReader
from firmograph.directory.result_slots import ResultSlot
from firmograph.directory.store import ContactProfile
from firmograph.enrichment.contacts import ContactRecords
from firmograph.enrichment.reveal import AskMemo, RevealBatch, RevealMemo, RevealRequest, RevealWork
from firmograph.enrichment.shapes import ContactEnrich
from firmograph.enrichment.waterfall import WaterfallCall, WaterfallResults
from firmograph.security.record_ids import Entity
from firmograph.signals.service import SignalsService
from firmograph.waterfall.asks import ask_store, provider_store, value_store
from firmograph.waterfall.asks.ask_store import NewAsk
from firmograph.waterfall.asks.choice import choose, find_candidates
from firmograph.waterfall.asks.claim import known_by_data_point
from firmograph.waterfall.asks.contacts import read_contact
from firmograph.waterfall.providers.types import Providers
from firmograph.waterfall.rendering import (
    NO_VALUES,
    CallAsks,
    PaidValues,
    ResultRenderer,
    job_member,
    status_members,
)
from firmograph.waterfall.types import (
    DATA_POINT_NUMBERS,
    DATA_POINTS,
    MISS_SECONDS,
    VALUE_SECONDS,
    AskState,
    Job,
    Trail,
)

Missing = tuple[int, str]
"""Contact and data point without a value."""


class EnrichParts(NamedTuple):
    """Services that calls use."""

    database: Database
    paid_units: PaidUnits
    signals: SignalsService
    charged_calls: ChargedCalls
    idempotency: Idempotency
    records: ContactRecords
    reader: QueryReader
    providers: Providers
    renderer: ResultRenderer


class WaterfallEnrich:
    """Data waterfall of contact enrich (`enrichment.waterfall.Waterfall`)."""

    def __init__(self, wait_seconds: float, parts: EnrichParts) -> None:
        self.wait_seconds = wait_seconds
        self._parts = parts

    def applies(self, caller: AccountCaller, body: ContactEnrich) -> bool:
        return isinstance(caller, ApiKeyCaller) and caller.waterfall and body.waterfall_enabled is not False

    def enrich(self, request: Request, body: ContactEnrich) -> WaterfallCall:
        return _Call(self._parts, request, body)


class _Call:
    """One call, from its charge to the end of its wait."""

    def __init__(self, parts: EnrichParts, request: Request, body: ContactEnrich) -> None:
        self._parts = parts
        self._request = request
        self._account = request.caller.account_id
        self._tokens = body.ids
        self._slots = [ResultSlot(number) for number in parts.reader.numbers(Entity.CONTACT, body.ids)]
        self._reveal = frozenset(CONTACT_UNITS if body.reveal is UNSET else body.reveal)
        partner = None if body.partner_client_id is UNSET else body.partner_client_id
        asked = RevealRequest(request, self._reveal, self._show, None, partner)
        self._work = _AskingReveal(self, parts, asked)
        self.memo: AskMemo | None = None

    def ready(self) -> ChargedCall[WaterfallResults]:
        return self._parts.charged_calls.ready(self._request, self._work)

    def is_open(self) -> bool:
        assert self.memo is not None
        with self._parts.database.look() as session:
            return ask_store.count_open(AccountSession(session, self._account), self.memo.all) > 0

    def finish(self, charged: Charged[WaterfallResults]) -> Charged[WaterfallResults]:
        with self._parts.database.write(account_scope(self._account)) as session:
            return self._finish(session, charged)

    def _finish(self, session: Session, charged: Charged[WaterfallResults]) -> Charged[WaterfallResults]:
        assert self.memo is not None
        own = AccountSession(session, self._account)
        asks = ask_store.select_asks(own, self.memo.all)
        credits = charged.credits + sum(ask.captured for ask in asks if ask.id in self.memo.own)
        job = ask_store.find_job(own, self.memo.job)
        if job is not None:
            # what ended within the wait is of this answer, the job has the rest
            is_open = {ask.id for ask in asks if ask.is_open}
            ask_store.remove_from_job(own, job.id, set(self.memo.all) - is_open)
            if not is_open:
                ask_store.delete_job(own, job.id)
        content, memo = self._work.show_again(session)
        response = CachedResponse(charged.request_id, credits, memo)
        self._parts.idempotency.replace(session, self._request, response)
        return charged._replace(content=content, credits=credits)

    # --- steps within the transactions of the reveal ---

    def lacking(self, session: Session, batch: RevealBatch[ContactProfile]) -> list[Missing]:
        """Return what is to be asked for: data points without a value that a provider may know now or later.

        At most four statements, none where nothing is missing.
        """
        own = AccountSession(session, self._account)
        lacks = [
            (number, unit)
            for number, record in batch.records.items()
            for unit in sorted(self._reveal)
            if not getattr(record, unit)
        ]
        if not lacks:
            return []
        values = PaidValues(value_store.select_paid(own, {number for number, _ in lacks}), batch.paid)
        missing = [each for each in lacks if each not in values]
        return self._askable(own, batch, missing) if missing else []

    def _askable(
        self, own: AccountSession, batch: RevealBatch[ContactProfile], missing: Sequence[Missing]
    ) -> list[Missing]:
        session, at, contacts = own.session, self._request.at, sorted({number for number, _ in missing})
        enabled = provider_store.select_enabled(own)
        known = known_by_data_point(
            value_store.select_misses(session, contacts, at - MISS_SECONDS),
            value_store.select_found(session, contacts, at - VALUE_SECONDS),
        )
        people = {number: read_contact(batch.records[number]) for number in contacts}
        askable = []
        for number, unit in missing:
            data_point = DATA_POINTS[DATA_POINT_NUMBERS[unit]]
            candidates = find_candidates(
                enabled, self._parts.providers, self._request.caller.plan, people[number], data_point
            )
            if not isinstance(
                choose(candidates, Trail(), known[number, DATA_POINT_NUMBERS[unit]], {}, at), AskState
            ):
                askable.append((number, unit))
        return askable

    def begin(self, session: Session, missing: Sequence[Missing]) -> None:
        """Insert asks and their job; an open ask of another call for the same is shared."""
        own, request = AccountSession(session, self._account), self._request
        new = [NewAsk(number, DATA_POINT_NUMBERS[unit], str(uuid.uuid4())) for number, unit in missing]
        spender = request.caller.spender
        ask_store.insert_asks(own, new, spender.actor, spender.daily_credits, request.at)
        wanted, tokens = {(one.contact_id, one.data_point) for one in new}, {one.token for one in new}
        opened = [
            ask
            for ask in ask_store.select_open(own, sorted({one.contact_id for one in new}))
            if (ask.contact_id, ask.data_point) in wanted
        ]
        job = Job(0, str(uuid.uuid4()), request.at, sum(DATA_POINT_NUMBERS[unit] for unit in self._reveal))
        ask_store.insert_job(own, job, [(ask.id, ask.token in tokens) for ask in opened])
        self.memo = AskMemo(
            job.token,
            [ask.id for ask in opened if ask.token in tokens],
            [ask.id for ask in opened if ask.token not in tokens],
        )

    def _show(self, session: Session, batch: RevealBatch[ContactProfile]) -> WaterfallResults:
        own = AccountSession(session, self._account)
        values = NO_VALUES
        if batch.records:
            values = PaidValues(value_store.select_paid(own, batch.records), batch.paid)
        asks, job = CallAsks(), None
        if self.memo is not None:
            asks = CallAsks(ask_store.select_asks(own, self.memo.all), self.memo.own)
            job = ask_store.find_job(own, self.memo.job) if asks.is_open else None
        results, numbers = self._parts.renderer.render(
            self._request.caller, self._tokens, batch, self._reveal, values, asks
        )
        members = status_members(asks)
        if job is not None:
            members += job_member(job)
        return WaterfallResults(results, numbers, members, asks.is_open, values.found())


class _AskingReveal(RevealWork[ContactProfile, WaterfallResults]):
    """Reveal that asks for what is missing."""

    def __init__(
        self, call: _Call, parts: EnrichParts, asked: RevealRequest[ContactProfile, WaterfallResults]
    ) -> None:
        super().__init__(
            parts.database, parts.paid_units, parts.signals, asked, parts.records, lambda session: call._slots
        )
        self._call = call
        self._kept: RevealMemo | None = None

    def read(self) -> WaterfallResults | None:
        with self._database.read() as session:
            batch = self.load(session, self._resolve(session))
            if not self.is_paid(batch) or self._call.lacking(session, batch):
                return None
            return self._asked.show(session, batch)

    def compute(self, session: Session, prepared: None) -> PricedContent[WaterfallResults]:
        priced = super().compute(session, prepared)
        self._kept = cast(RevealMemo, priced.memo)
        return priced

    def replay(self, session: Session, prepared: None, memo: RevealMemo) -> WaterfallResults:
        self._call.memo = memo.asks
        return super().replay(session, prepared, memo)

    def show_again(self, session: Session) -> tuple[WaterfallResults, RevealMemo]:
        """Return the content as of now, and what a replay needs."""
        assert self._kept is not None
        batch = self.load(session, self._resolve(session))
        content = self._asked.show(session, batch._replace(charged=frozenset(self._kept.charged)))
        return content, self._kept

    def begin(self, session: Session, batch: RevealBatch[ContactProfile]) -> None:
        missing = self._call.lacking(session, batch)
        if missing:
            self.expose(session, missing)
            self._call.begin(session, missing)

    def ask_memo(self) -> AskMemo | None:
        return self._call.memo

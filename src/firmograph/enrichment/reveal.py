"""Reveal of data points: charge, response and replay, shared by contacts and companies.

See docs/reference/account.md#credits.

Charge and effect are one write transaction: it covers reading records, checking paid units, charging credits and
storing the idempotency key. If there is nothing to pay and nothing to store, a read transaction is enough.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import UnsetType

from firmograph.accounts.caller import Caller
from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.envelope import NOT_FOUND, ItemErrorCode, ResultSlot, render_answer
from firmograph.billing import exposure_store, ledger
from firmograph.billing.exposure_store import Exposure
from firmograph.billing.idempotency import CachedResponse, Idempotency, KeyedCall, keyed_call
from firmograph.billing.paid_units import PaidUnits
from firmograph.database.connection import Database, Session, account_scope
from firmograph.enrichment import record_renderer
from firmograph.security.record_ids import Entity

R = TypeVar("R")

Paid = Collection[tuple[int, str]]
"""Pairs of record number and unit."""


class ResultName(NamedTuple):
    """Reference of an item in its result, and the requested id for errors."""

    reference: str | UnsetType
    token: str | None = None


class RecordKind(Protocol[R]):
    """Operations that differ between contacts and companies."""

    entity: Entity

    def load(self, session: Session, numbers: Collection[int]) -> Mapping[int, R]:
        """Return the stored records."""
        ...

    def units(self, record: R, reveal: frozenset[str]) -> Sequence[str]:
        """Return the paid units of a record for a requested `reveal`."""
        ...

    def errors(self, session: Session, numbers: Collection[int]) -> Mapping[int, ItemErrorCode]:
        """Return the codes of missing records that are not `NOT_FOUND`."""
        ...

    def render(
        self, session: Session, caller: Caller, records: Mapping[int, R], reveal: frozenset[str], paid: Paid
    ) -> Callable[[int, str | UnsetType], bytes]:
        """Return a function that renders a record under a reference, with the requested and paid units."""
        ...


class RevealRequest(NamedTuple):
    """Call that may charge credits."""

    call: Call[Any]
    reveal: frozenset[str]
    items: Sequence[ResultName]
    search: str | None = None
    """Price key of its search, charged by the number of results."""
    partner: str | None = None
    """Partner on whose behalf contacts are revealed, recorded for opt-outs (docs/reference/webhooks.md#opt-outs)."""

    @property
    def caller(self) -> Caller:
        caller: Caller = self.call.caller
        return caller

    def writes(self) -> bool:
        """Return whether the call writes even if every data point is paid."""
        key = self.call.idempotency_key
        return key is not None or self.partner is not None or self.search_is_priced()

    def search_is_priced(self) -> bool:
        return self.search is not None and self.caller.plan.is_priced(self.search)


Resolve = Callable[[Session], Sequence[ResultSlot]]


class RevealBatch(NamedTuple, Generic[R]):
    """Records of a call, as read by one transaction."""

    slots: Sequence[ResultSlot]
    records: Mapping[int, R]
    errors: Mapping[int, ItemErrorCode]
    requested: set[tuple[int, str]]
    paid: set[tuple[int, str]]

    def error(self, slot: ResultSlot) -> ItemErrorCode:
        stored = self.errors.get(slot.number) if slot.number is not None else None
        return slot.error or stored or NOT_FOUND


class Revealer:
    """Service of calls that may charge credits."""

    def __init__(self, database: Database, paid_units: PaidUnits, idempotency: Idempotency) -> None:
        self._database = database
        self._paid_units = paid_units
        self._idempotency = idempotency

    def answer(
        self, request: RevealRequest, kind: RecordKind[R], resolve: Resolve
    ) -> ChargedResponse | Deferred:
        """Return the response if nothing has to be written, else defer it to a write transaction."""
        if not request.writes():
            with self._database.read() as session:
                batch = self._batch(session, request, kind, resolve(session))
                if batch.requested <= batch.paid:
                    answer = self._render(session, request, kind, batch, request.call.request_id, 0)
                    return ChargedResponse(answer, 0)
        return Deferred(lambda: self._charge(request, kind, resolve))

    def _charge(self, request: RevealRequest, kind: RecordKind[R], resolve: Resolve) -> ChargedResponse:
        keyed = keyed_call(request.call)
        with self._idempotency.running(keyed):
            return self._charge_once(request, kind, resolve, keyed)

    def _batch(
        self, session: Session, request: RevealRequest, kind: RecordKind[R], slots: Sequence[ResultSlot]
    ) -> RevealBatch[R]:
        numbers = {slot.number for slot in slots if slot.number is not None}
        records = kind.load(session, numbers)
        missing = numbers - records.keys()
        errors = kind.errors(session, missing) if missing else {}
        requested = {
            (number, unit)
            for number, record in records.items()
            for unit in kind.units(record, request.reveal)
        }
        paid = self._paid_units.paid(session, request.caller.account_id, kind.entity, list(records))
        return RevealBatch(slots, records, errors, requested, paid)

    def _charge_once(
        self, request: RevealRequest, kind: RecordKind[R], resolve: Resolve, keyed: KeyedCall | None
    ) -> ChargedResponse:
        call, account = request.call, request.caller.account_id
        with self._database.write(account_scope(account)) as session:
            cached = self._idempotency.find(session, keyed)
            if cached is not None:
                return ChargedResponse(self._replay(session, request, kind, resolve, cached), 0)
            batch = self._batch(session, request, kind, resolve(session))
            shown = [slot.number if slot.number in batch.records else None for slot in batch.slots]
            returned = sum(number is not None for number in shown)
            units = [(int(kind.entity), number, unit) for number, unit in batch.requested]
            bought = self._paid_units.pay(
                session, account, request.caller.plan, call.request_id, units, call.at
            )
            credits = bought.credits + self._charge_search(session, request, returned)
            self._expose(session, request, batch)
            batch = batch._replace(paid=batch.paid | batch.requested)
            answer = self._render(session, request, kind, batch, call.request_id, credits)
            if keyed is not None:
                cached = CachedResponse(call.request_id, credits, (returned, shown))
                self._idempotency.keep(session, keyed, cached)
            return ChargedResponse(answer, credits)

    def _expose(self, session: Session, request: RevealRequest, batch: RevealBatch[R]) -> None:
        if request.partner is None:
            return
        account, at = request.caller.account_id, request.call.at
        exposure_store.add(
            session,
            [Exposure(account, number, request.partner, unit, at) for number, unit in batch.requested],
        )

    def _charge_search(self, session: Session, request: RevealRequest, returned: int) -> int:
        if request.search is None or not returned or not request.search_is_priced():
            return 0
        caller, call = request.caller, request.call
        quantities = {request.search: returned}
        return ledger.charge(session, caller.account_id, caller.plan, quantities, call.request_id, call.at)

    def _replay(
        self,
        session: Session,
        request: RevealRequest,
        kind: RecordKind[R],
        resolve: Resolve,
        cached: CachedResponse,
    ) -> bytes:
        """Render the first response again from today's records, without records suppressed since and unpaid data."""
        _, records, *_ = cached.memo
        today = resolve(session)
        slots = [
            ResultSlot(number, now.error if number is None or now.number is None else None)
            for number, now in zip(records, today, strict=True)
        ]
        batch = self._batch(session, request, kind, slots)
        return self._render(session, request, kind, batch, cached.request_id, cached.credits_charged)

    def _render(
        self,
        session: Session,
        request: RevealRequest,
        kind: RecordKind[R],
        batch: RevealBatch[R],
        request_id: str,
        credits: int,
    ) -> bytes:
        render = kind.render(session, request.caller, batch.records, request.reveal, batch.paid)
        results, returned = [], 0
        for item, slot in zip(request.items, batch.slots, strict=True):
            if slot.number is not None and slot.number in batch.records:
                results.append(render(slot.number, item.reference))
                returned += 1
            else:
                error = batch.error(slot)
                results.append(
                    record_renderer.render_item_error(kind.entity, error, item.reference, item.token)
                )
        return render_answer(request_id, results, credits, returned)

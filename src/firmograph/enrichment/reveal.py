"""Reveal of data points: charge, response and replay, shared by contacts and companies.

See docs/reference/account.md#credits.

If there is nothing to pay and nothing to store, a read transaction is enough; all else is a charged call
(`billing/charged_call.py`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import UnsetType

from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.envelope import NOT_FOUND, ItemErrorCode, ResultSlot, render_answer, replay_slots
from firmograph.api.table_rows import TableRows
from firmograph.billing import exposure_store
from firmograph.billing.charged_call import ChargedCalls, PricedContent
from firmograph.billing.exposure_store import Exposure
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.types import Unit
from firmograph.caller import AccountCaller
from firmograph.database.connection import AccountSession, Database, Session
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
        self,
        session: Session,
        caller: AccountCaller,
        records: Mapping[int, R],
        reveal: frozenset[str],
        paid: Paid,
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
    table_rows: TableRows | None = None
    """What is written to a table afterwards, without numbers."""

    @property
    def caller(self) -> AccountCaller:
        return self.call.account

    def writes(self) -> bool:
        """Return whether the call writes even if every data point is paid."""
        if self.call.idempotency_key is not None or self.partner is not None:
            return True
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

    def __init__(self, database: Database, paid_units: PaidUnits, charged_calls: ChargedCalls) -> None:
        self._database = database
        self._paid_units = paid_units
        self._charged_calls = charged_calls

    def answer(
        self, request: RevealRequest, kind: RecordKind[R], resolve: Resolve
    ) -> ChargedResponse | Deferred:
        """Return the response if nothing has to be written, else defer it to a write transaction."""
        work = _Reveal(self._paid_units, request, kind, resolve)
        call = request.call
        if not request.writes():
            with self._database.read() as session:
                batch = work.read(session, resolve(session))
                if batch.requested <= batch.paid:
                    body = work.render(session, batch, call.request_id, 0)
                    return ChargedResponse(body, 0, work.table_rows(batch))
        return Deferred(lambda: self._charged_calls.run(call, work, work.table_rows))


class _Reveal(NamedTuple, Generic[R]):
    """Reveal in the steps of `charged_call.ChargedWork`."""

    paid_units: PaidUnits
    request: RevealRequest
    kind: RecordKind[R]
    resolve: Resolve

    def prepare(self) -> None:
        return None

    def compute(self, session: Session, prepared: None) -> PricedContent[RevealBatch[R]]:
        request, entity = self.request, int(self.kind.entity)
        batch = self.read(session, self.resolve(session))
        shown = [slot.number if slot.number in batch.records else None for slot in batch.slots]
        returned = sum(number is not None for number in shown)
        self._expose(session, batch)
        return PricedContent(
            batch._replace(paid=batch.paid | batch.requested),
            (returned, shown),
            [Unit(entity, number, unit) for number, unit in batch.requested],
            {} if request.search is None else {request.search: returned},
        )

    def replay(self, session: Session, prepared: None, memo: Sequence[Any]) -> RevealBatch[R]:
        """Read the records of the first response again, without records suppressed since and unpaid data."""
        _, records, *_ = memo
        slots = replay_slots(records, self.resolve(session))
        return self.read(session, slots)

    def read(self, session: Session, slots: Sequence[ResultSlot]) -> RevealBatch[R]:
        kind, request = self.kind, self.request
        numbers = {slot.number for slot in slots if slot.number is not None}
        records = kind.load(session, numbers)
        missing = numbers - records.keys()
        errors = kind.errors(session, missing) if missing else {}
        requested = {
            (number, unit)
            for number, record in records.items()
            for unit in kind.units(record, request.reveal)
        }
        paid = self.paid_units.paid(
            AccountSession(session, request.caller.account_id), kind.entity, list(records)
        )
        return RevealBatch(slots, records, errors, requested, paid)

    def render(self, session: Session, content: RevealBatch[R], request_id: str, credits: int) -> bytes:
        request, kind, batch = self.request, self.kind, content
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

    def table_rows(self, content: RevealBatch[R]) -> TableRows | None:
        """Return the rows of the results for a table, if the call names one."""
        rows = self.request.table_rows
        if rows is None:
            return None
        held = dict.fromkeys(slot.number for slot in content.slots if slot.number in content.records)
        return rows._replace(numbers=[number for number in held if number is not None])

    def _expose(self, session: Session, batch: RevealBatch[R]) -> None:
        partner, call = self.request.partner, self.request.call
        if partner is None:
            return
        account = self.request.caller.account_id
        exposure_store.add(
            AccountSession(session, account),
            [Exposure(account, number, partner, unit, call.at) for number, unit in batch.requested],
        )

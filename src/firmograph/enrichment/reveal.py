"""Reveal of data points: charge, response and replay, shared by contacts, companies and both generations.

See docs/reference/account.md#credits.

If there is nothing to pay and nothing to store, a read transaction is enough; all else is a charged call
(`billing/charged_call.py`). What renders the answer is an argument; it learns which data points the call has paid for.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.table_rows import TableRows
from firmograph.billing import exposure_store
from firmograph.billing.charged_call import ChargedCalls, PricedContent
from firmograph.billing.exposure_store import Exposure
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.types import Unit
from firmograph.caller import AccountCaller
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.directory.result_slots import NOT_FOUND, ItemErrorCode, ResultSlot, replay_slots
from firmograph.security.record_ids import Entity
from firmograph.signals.filters import SignalQuery
from firmograph.signals.selection import Selection
from firmograph.signals.service import SignalCharge, SignalsService, is_priced

R = TypeVar("R")

Paid = Collection[tuple[int, str]]
"""Pairs of record number and unit."""
SIGNALS: Final = "signals"
"""Unit of the signals of a record in `RevealBatch.charged`."""


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


Resolve = Callable[[Session], Sequence[ResultSlot]]


class RevealBatch(NamedTuple, Generic[R]):
    """Records of a call, as read by one transaction."""

    slots: Sequence[ResultSlot]
    records: Mapping[int, R]
    errors: Mapping[int, ItemErrorCode]
    requested: set[tuple[int, str]]
    paid: set[tuple[int, str]]
    charged: Paid = ()
    """Data points that cost credits in this call or, of a repeated call, in the first one."""
    signals: Selection | None = None
    """Signals of the records, if the call asks for some."""

    def error(self, slot: ResultSlot) -> ItemErrorCode:
        stored = self.errors.get(slot.number) if slot.number is not None else None
        return slot.error or stored or NOT_FOUND


class RequestedSignals(NamedTuple, Generic[R]):
    """Signals that a call shows next to its records, at the price of a call of their own."""

    query: SignalQuery
    shown_of: Callable[[R], bool] = lambda record: True
    """Returns whether those of a record are shown."""


class RevealRequest(NamedTuple, Generic[R]):
    """Call that may charge credits."""

    call: Call[Any]
    reveal: frozenset[str]
    render: Callable[[Session, RevealBatch[R], str, int], bytes]
    """Returns the body of the answer, given its request id and the credits charged."""
    search: str | None = None
    """Price key of its search, charged by the number of results."""
    partner: str | None = None
    """Partner on whose behalf contacts are revealed, recorded for opt-outs (docs/reference/webhooks.md#opt-outs)."""
    table_rows: TableRows | None = None
    """What is written to a table afterwards, without numbers."""
    signals: RequestedSignals[R] | None = None

    @property
    def caller(self) -> AccountCaller:
        return self.call.account

    def writes(self) -> bool:
        """Return whether the call writes even if every data point is paid."""
        if self.call.idempotency_key is not None or self.partner is not None:
            return True
        return self.search is not None and self.caller.plan.is_priced(self.search)


class Revealer:
    """Service of calls that may charge credits."""

    def __init__(
        self,
        database: Database,
        paid_units: PaidUnits,
        charged_calls: ChargedCalls,
        signals: SignalsService,
    ) -> None:
        self._database = database
        self._paid_units = paid_units
        self._charged_calls = charged_calls
        self._signals = signals

    def answer(
        self, request: RevealRequest[R], kind: RecordKind[R], resolve: Resolve
    ) -> ChargedResponse | Deferred:
        """Return the response if nothing has to be written, else defer it to a write transaction."""
        work = _Reveal(self._paid_units, self._signals, request, kind, resolve)
        if request.writes():
            return self._charge(work)
        if request.signals is not None:
            # signals take longer to read than records
            return Deferred(lambda: self._read(work), writes=False)
        return self._read(work)

    def _read(self, work: "_Reveal[R]") -> ChargedResponse | Deferred:
        with self._database.read() as session:
            batch = work.read(session, work.resolve(session))
            if work.is_paid(batch):
                body = work.render(session, batch, work.request.call.request_id, 0)
                return ChargedResponse(body, 0, work.table_rows(batch))
        return self._charge(work)

    def _charge(self, work: "_Reveal[R]") -> Deferred:
        return Deferred(lambda: self._charged_calls.run(work.request.call, work, work.table_rows))


class _Reveal(NamedTuple, Generic[R]):
    """Reveal in the steps of `charged_call.ChargedWork`."""

    paid_units: PaidUnits
    signals: SignalsService
    request: RevealRequest[R]
    kind: RecordKind[R]
    resolve: Resolve

    def prepare(self) -> None:
        return None

    def compute(self, session: Session, prepared: None) -> PricedContent[RevealBatch[R]]:
        request, entity = self.request, int(self.kind.entity)
        last = self._last_signal(session)
        batch = self.read(session, self.resolve(session), last)
        shown = [slot.number if slot.number in batch.records else None for slot in batch.slots]
        returned = sum(number is not None for number in shown)
        self._expose(session, batch)
        signals = self.signals_charge(batch)
        quantities = dict(signals.quantities)
        if request.search is not None:
            quantities[request.search] = returned
        charged = sorted(self._charged(batch.requested - batch.paid, signals.records))
        return PricedContent(
            batch._replace(paid=batch.paid | batch.requested, charged=frozenset(charged)),
            (shown, charged, last),
            [Unit(entity, number, unit) for number, unit in batch.requested],
            quantities,
            signals.covered,
        )

    def _last_signal(self, session: Session) -> int | None:
        """Return the id of the newest signal, if a replay must show no newer one."""
        if self.request.signals is None or self.request.call.idempotency_key is None:
            return None
        return self.signals.last_id(session)

    def _charged(self, unpaid: set[tuple[int, str]], with_signals: Collection[int]) -> set[tuple[int, str]]:
        """Return those of the unpaid data points that have a price."""
        plan, entity = self.request.caller.plan, self.kind.entity
        charged = {
            (number, unit) for number, unit in unpaid if self.paid_units.credits_for(plan, entity, unit)
        }
        if is_priced(plan, entity):
            charged.update((number, SIGNALS) for number in with_signals)
        return charged

    def replay(self, session: Session, prepared: None, memo: Sequence[Any]) -> RevealBatch[R]:
        """Read the records of the first response again, without records suppressed since and unpaid data."""
        records, charged, last = memo
        slots = replay_slots(records, self.resolve(session))
        batch = self.read(session, slots, last, paid_only=True)
        return batch._replace(charged=frozenset((number, unit) for number, unit in charged))

    def read(
        self,
        session: Session,
        slots: Sequence[ResultSlot],
        last: int | None = None,
        *,
        paid_only: bool = False,
    ) -> RevealBatch[R]:
        """Read the records of the slots. `last` and `paid_only` restrict their signals."""
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
        own = AccountSession(session, request.caller.account_id)
        paid = self.paid_units.paid(own, kind.entity, list(records), request.call.at)
        signals = self._select_signals(own, records, last, paid_only) if request.signals else None
        return RevealBatch(slots, records, errors, requested, paid, (), signals)

    def _select_signals(
        self, session: AccountSession, records: Mapping[int, R], last: int | None, paid_only: bool
    ) -> Selection:
        assert self.request.signals is not None
        query, shown_of = self.request.signals
        numbers = [number for number, record in records.items() if shown_of(record)]
        return self.signals.select_of(session, query, numbers, last, paid_only=paid_only)

    def signals_charge(self, batch: RevealBatch[R]) -> SignalCharge:
        if batch.signals is None:
            return SignalCharge()
        return self.signals.charge(self.kind.entity, batch.signals, self.request.call.at)

    def is_paid(self, batch: RevealBatch[R]) -> bool:
        """Return whether everything in the batch is paid or free."""
        if batch.signals is None or not is_priced(self.request.caller.plan, self.kind.entity):
            return batch.requested <= batch.paid
        return batch.requested <= batch.paid and not self.signals_charge(batch).records

    def render(self, session: Session, content: RevealBatch[R], request_id: str, credits: int) -> bytes:
        return self.request.render(session, content, request_id, credits)

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

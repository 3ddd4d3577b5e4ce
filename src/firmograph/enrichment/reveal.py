"""Reveal of data points: charge, response and replay, shared by contacts, companies and both generations.

See docs/reference/account.md#credits.

If there is nothing to pay and nothing to store, a read transaction is enough; all else is a charged call
(`billing/charged_call.py`). What shows the records is an argument; it learns which data points the call has paid for.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from firmograph.billing import exposure_store
from firmograph.billing.charged_call import ChargedCall, ChargedCalls, ChargedWork, FreeReading, PricedContent
from firmograph.billing.exposure_store import Exposure
from firmograph.billing.idempotency import Memo
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.types import Unit
from firmograph.caller import Request
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.directory.result_slots import NOT_FOUND, ItemErrorCode, ResultSlot, replay_slots
from firmograph.security.record_ids import Entity
from firmograph.signals.filters import SignalQuery
from firmograph.signals.selection import Selection
from firmograph.signals.service import SignalCharge, SignalsService, is_priced

R = TypeVar("R")
A = TypeVar("A")

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


class RevealRequest(NamedTuple, Generic[R, A]):
    """Call that may charge credits."""

    request: Request
    reveal: frozenset[str]
    show: Callable[[Session, RevealBatch[R]], A]
    """Returns the content of the answer."""
    search: str | None = None
    """Price key of its search, charged by the number of results."""
    partner: str | None = None
    """Partner on whose behalf contacts are revealed, recorded for opt-outs (docs/reference/webhooks.md#opt-outs)."""
    signals: RequestedSignals[R] | None = None


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

    def ready(self, asked: RevealRequest[R, A], kind: RecordKind[R], resolve: Resolve) -> ChargedCall[A]:
        """Return the call, which reads if nothing has to be written."""
        work = RevealWork(self._database, self._paid_units, self._signals, asked, kind, resolve)
        return self._charged_calls.ready(asked.request, work)

    def free(self, request: Request, read: Callable[[], A]) -> ChargedCall[A]:
        """Return a call that costs nothing."""
        return self._charged_calls.ready(request, FreeReading(read, is_short=True))


class AskMemo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Asks of other providers."""

    job: str
    """UUID."""
    own: list[int]
    """Asks that the call began and pays for."""
    shared: list[int]
    """Asks of earlier calls for the same."""

    @property
    def all(self) -> list[int]:
        return [*self.own, *self.shared]


class RevealMemo(Memo, frozen=True, omit_defaults=True):
    """What a replay shows again."""

    records: list[int | None]
    """Record of each item."""
    charged: list[tuple[int, str]]
    last_signal: int | None
    asks: AskMemo | None = None
    """What the call has asked of other providers, if any (`enrichment/waterfall.py`)."""


class RevealWork(ChargedWork[None, A], Generic[R, A]):
    """Reveal of the records of a call, as charged work; others extend it by `begin` and `ask_memo`."""

    memo = RevealMemo

    def __init__(
        self,
        database: Database,
        paid_units: PaidUnits,
        signals: SignalsService,
        asked: RevealRequest[R, A],
        kind: RecordKind[R],
        resolve: Resolve,
    ) -> None:
        self._database = database
        self._paid_units = paid_units
        self._signals = signals
        self._asked = asked
        self._request = asked.request
        self._kind = kind
        self._resolve = resolve
        self.price_key = asked.search
        # that of a partner is written down
        self.reads = asked.partner is None
        # signals take longer to read than records
        self.is_short = asked.signals is None

    def read(self) -> A | None:
        with self._database.read() as session:
            batch = self.load(session, self._resolve(session))
            return self._asked.show(session, batch) if self.is_paid(batch) else None

    def compute(self, session: Session, prepared: None) -> PricedContent[A]:
        asked, entity = self._asked, int(self._kind.entity)
        last = self._last_signal(session)
        batch = self.load(session, self._resolve(session), last)
        shown = [slot.number if slot.number in batch.records else None for slot in batch.slots]
        self.expose(session, batch.requested)
        self.begin(session, batch)
        signals = self._signals_charge(batch)
        quantities = dict(signals.quantities)
        if asked.search is not None:
            quantities[asked.search] = sum(number is not None for number in shown)
        charged = sorted(self._charged(batch.requested - batch.paid, signals.records))
        bought = batch._replace(paid=batch.paid | batch.requested, charged=frozenset(charged))
        return PricedContent(
            asked.show(session, bought),
            RevealMemo(shown, charged, last, self.ask_memo()),
            [Unit(entity, number, unit) for number, unit in batch.requested],
            quantities,
            signals.covered,
        )

    def _last_signal(self, session: Session) -> int | None:
        """Return the id of the newest signal, if a replay must show no newer one."""
        if self._asked.signals is None or self._request.key is None:
            return None
        return self._signals.last_id(session)

    def _charged(self, unpaid: set[tuple[int, str]], with_signals: Collection[int]) -> set[tuple[int, str]]:
        """Return those of the unpaid data points that have a price."""
        plan, entity = self._request.caller.plan, self._kind.entity
        charged = {
            (number, unit) for number, unit in unpaid if self._paid_units.credits_for(plan, entity, unit)
        }
        if is_priced(plan, entity):
            charged.update((number, SIGNALS) for number in with_signals)
        return charged

    def replay(self, session: Session, prepared: None, memo: RevealMemo) -> A:
        """Show the records of the first response again, without records suppressed since and unpaid data."""
        slots = replay_slots(memo.records, self._resolve(session))
        batch = self.load(session, slots, memo.last_signal, paid_only=True)
        return self._asked.show(session, batch._replace(charged=frozenset(memo.charged)))

    def load(
        self,
        session: Session,
        slots: Sequence[ResultSlot],
        last: int | None = None,
        *,
        paid_only: bool = False,
    ) -> RevealBatch[R]:
        """Read the records of the slots. `last` and `paid_only` restrict their signals."""
        kind, request = self._kind, self._request
        numbers = {slot.number for slot in slots if slot.number is not None}
        records = kind.load(session, numbers)
        missing = numbers - records.keys()
        errors = kind.errors(session, missing) if missing else {}
        requested = {
            (number, unit)
            for number, record in records.items()
            for unit in kind.units(record, self._asked.reveal)
        }
        own = AccountSession(session, request.caller.account_id)
        paid = self._paid_units.paid(own, kind.entity, list(records), request.at)
        signals = self._select_signals(own, records, last, paid_only) if self._asked.signals else None
        return RevealBatch(slots, records, errors, requested, paid, (), signals)

    def _select_signals(
        self, session: AccountSession, records: Mapping[int, R], last: int | None, paid_only: bool
    ) -> Selection:
        assert self._asked.signals is not None
        query, shown_of = self._asked.signals
        numbers = [number for number, record in records.items() if shown_of(record)]
        return self._signals.select_of(session, query, numbers, last, paid_only=paid_only)

    def _signals_charge(self, batch: RevealBatch[R]) -> SignalCharge:
        if batch.signals is None:
            return SignalCharge()
        return self._signals.charge(self._kind.entity, batch.signals, self._request.at)

    def is_paid(self, batch: RevealBatch[R]) -> bool:
        """Return whether everything in the batch is paid or free."""
        if batch.signals is None or not is_priced(self._request.caller.plan, self._kind.entity):
            return batch.requested <= batch.paid
        return batch.requested <= batch.paid and not self._signals_charge(batch).records

    def begin(self, session: Session, batch: RevealBatch[R]) -> None:
        """Write what else the call begins, before its records are shown."""

    def ask_memo(self) -> AskMemo | None:
        """Return what a replay needs of what the call began."""
        return None

    def expose(self, session: Session, units: Collection[tuple[int, str]]) -> None:
        """Write down what is shown on behalf of a partner."""
        partner, account = self._asked.partner, self._request.caller.account_id
        if partner is None:
            return
        exposure_store.add(
            AccountSession(session, account),
            [Exposure(account, number, partner, unit, self._request.at) for number, unit in units],
        )

"""Signals calls of both generations: selection, price and response.

See docs/reference/signals.md#charges.

A unit is a record and a type with at least one shown event that the account has not paid for; only shown events are
paid. If there is nothing to pay and no key to store, a read transaction is enough; all else is a charged call
(`billing/charged_call.py`).

A replay shows today's records, but only signals that had been detected at the first response and that the account paid
for: no new signal is free. Therefore a call with a key records shown signals as paid even at a price of 0.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Final, Generic, NamedTuple, TypeVar

from firmograph.billing.charged_call import ChargedCall, ChargedCalls, ChargedWork, PricedContent
from firmograph.billing.idempotency import Memo
from firmograph.billing.types import Unit, signal_unit
from firmograph.caller import Plan, Request
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.directory.result_slots import NOT_FOUND, RESTRICTED, ResultSlot, replay_slots
from firmograph.security.record_ids import Entity
from firmograph.signals import store
from firmograph.signals.event_renderer import EventRenderer, Subject
from firmograph.signals.filters import SignalQuery
from firmograph.signals.paid_store import NO_LIMIT, AccountSignal
from firmograph.signals.selection import (
    SelectedSignal,
    Selection,
    SignalSelector,
    group_by_type,
    load_events,
)

PRICE_KEYS: Final = {Entity.CONTACT: "showSignalsContact", Entity.COMPANY: "showSignalsCompany"}

_DAY: Final = 86_400.0

A = TypeVar("A")


Resolve = Callable[[Session], Sequence[ResultSlot]]
Restricted = Callable[[Session, Collection[int]], Collection[int]]
"""Returns the suppressed ones among numbers of missing contacts."""


class FoundSignals(NamedTuple):
    """Signals of a response, to be shown by either generation."""

    slots: Sequence[ResultSlot]
    """In request order; each with a number or an error."""
    subjects: Mapping[int, Subject]
    events: Mapping[int, Mapping[str, Sequence[SelectedSignal]]]
    """Signals by record and type, newest first; only types with signals."""
    truncated: Collection[int]
    """Records with more signals of a type than can be shown."""
    start: str
    end: str


class SignalRequest(NamedTuple, Generic[A]):
    """Signals call with its query, and how its records are found and its signals shown."""

    request: Request
    query: SignalQuery
    resolve: Resolve
    """Finds the records, in the transaction that reads their signals."""
    show: Callable[[FoundSignals], A]
    """Returns the content of the answer."""


class SignalCharge(NamedTuple):
    """Price of the selected signals that the account has not paid for yet."""

    quantities: Mapping[str, int] = {}
    """By price key."""
    covered: Collection[Unit] = ()
    records: Collection[int] = ()
    """Records of these signals."""


class SignalsService:
    """Signals service shared by both generations, for calls of their own and next to other data of records."""

    def __init__(
        self,
        database: Database,
        renderer: EventRenderer,
        charged_calls: ChargedCalls,
        restricted: Restricted,
        repeat_days: int = 0,
    ) -> None:
        self._database = database
        self._selector = SignalSelector(renderer)
        self._charged_calls = charged_calls
        self._restricted = restricted
        self._paid_seconds = repeat_days * _DAY
        # concurrent readers of the embedded database only compete for the interpreter and take 1.5 times as long
        self._reader_lock = threading.Lock() if database.embedded else nullcontext()

    def ready(self, asked: SignalRequest[A]) -> ChargedCall[A]:
        """Return a call, which reads if nothing has to be paid."""
        return self._charged_calls.ready(asked.request, _ChargedSignals(self, asked))

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a session for a long reading."""
        with self._reader_lock, self._database.read() as session:
            yield session

    # --- selection ---

    def select(
        self,
        session: AccountSession,
        query: SignalQuery,
        slots: Sequence[ResultSlot],
        last: int = NO_LIMIT,
        *,
        paid_only: bool = False,
    ) -> Selection:
        numbers = {slot.number for slot in slots if slot.number is not None}
        selection = self._selector.select(session, query, numbers, last)
        if paid_only:
            selection = _only_paid(selection)
        filled = self._fill_errors(session.session, query.entity, slots, selection.subjects)
        return selection._replace(slots=filled)

    def select_of(
        self,
        session: AccountSession,
        query: SignalQuery,
        numbers: Collection[int],
        last: int | None = None,
        *,
        paid_only: bool = False,
    ) -> Selection:
        """Return the signals to show next to other data of records, with their events. At most four statements.

        `last` is the id of the newest that may be shown.
        """
        selection = self._selector.select(session, query, numbers, NO_LIMIT if last is None else last)
        return load_events(session.session, _only_paid(selection) if paid_only else selection)

    def last_id(self, session: Session) -> int:
        """Return the id of the newest signal. One statement."""
        return store.last_signal_id(session)

    def _fill_errors(
        self, session: Session, entity: Entity, slots: Sequence[ResultSlot], subjects: Collection[int]
    ) -> list[ResultSlot]:
        """Return the slots with an error in each one without a record."""
        missing = {slot.number for slot in slots if slot.number is not None} - set(subjects)
        restricted = self._restricted(session, missing) if missing and entity is Entity.CONTACT else ()
        return [
            slot
            if slot.number in subjects
            else ResultSlot(None, slot.error or (RESTRICTED if slot.number in restricted else NOT_FOUND))
            for slot in slots
        ]

    def unpaid(self, selection: Selection, at: float) -> list[AccountSignal]:
        """Return the signals that the account has not paid for within `repeat_reveal_days`."""
        since = at - self._paid_seconds if self._paid_seconds else -1.0
        return [one for one in selection.shown if one.paid_at is None or one.paid_at <= since]

    def charge(self, entity: Entity, selection: Selection, at: float) -> SignalCharge:
        """Return the price of the signals that are not paid: a unit for each record and type with any."""
        unpaid = self.unpaid(selection, at)
        if not unpaid:
            return SignalCharge()
        return SignalCharge(
            {PRICE_KEYS[entity]: len({(one.number, one.type) for one in unpaid})},
            {signal_unit(one.identity) for one in unpaid},
            {one.number for one in unpaid},
        )


class SignalsMemo(Memo, frozen=True):
    """What a replay shows again."""

    records: list[int | None]
    """Record of each item."""
    last_signal: int


class _ChargedSignals(ChargedWork[None, A]):
    """Selection of the signals of a call."""

    memo = SignalsMemo
    reads = True

    def __init__(self, service: SignalsService, asked: SignalRequest[A]) -> None:
        self._service = service
        self._request, self._query, self._resolve, self._show = asked

    def read(self) -> A | None:
        with self._service.reading() as session:
            slots = self._resolve(session)
            selection = self._service.select(self._own(session), self._query, slots)
            priced = is_priced(self._request.caller.plan, self._query.entity)
            if priced and self._service.unpaid(selection, self._request.at):
                return None
            return self._shown(load_events(session, selection))

    def compute(self, session: Session, prepared: None) -> PricedContent[A]:
        service, request = self._service, self._request
        last = NO_LIMIT if request.key is None else store.last_signal_id(session)
        selected = service.select(self._own(session), self._query, self._resolve(session), last)
        selection = load_events(session, selected)
        charge = service.charge(self._query.entity, selection, request.at)
        return PricedContent(
            self._shown(selection),
            SignalsMemo([slot.number for slot in selection.slots], last),
            quantities=charge.quantities,
            covered=charge.covered,
        )

    def replay(self, session: Session, prepared: None, memo: SignalsMemo) -> A:
        slots = replay_slots(memo.records, self._resolve(session))
        selected = self._service.select(
            self._own(session), self._query, slots, memo.last_signal, paid_only=True
        )
        return self._shown(load_events(session, selected))

    def _own(self, session: Session) -> AccountSession:
        return AccountSession(session, self._request.caller.account_id)

    def _shown(self, selection: Selection) -> A:
        return self._show(_found(self._query, selection))


def is_priced(plan: Plan, entity: Entity) -> bool:
    """Return whether signals cost credits."""
    return plan.is_priced(PRICE_KEYS[entity])


def _only_paid(selection: Selection) -> Selection:
    return selection._replace(shown=[one for one in selection.shown if one.paid_at is not None])


def _found(query: SignalQuery, selection: Selection) -> FoundSignals:
    end = query.today
    start = query.start or min((one.day for one in selection.shown), default=end)
    return FoundSignals(
        selection.slots,
        selection.subjects,
        group_by_type(selection),
        selection.truncated,
        min(start, end),
        end,
    )

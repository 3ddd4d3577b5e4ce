"""Signals calls of both generations: selection, price and response.

See docs/reference/signals.md#charges.

A unit is a record and a type with at least one shown event that the account has not paid for; only shown events are
paid. If there is nothing to pay and no key to store, a read transaction is enough; all else is a charged call
(`billing/charged_call.py`).

A replay shows today's records, but only signals that had been detected at the first response and that the account paid
for: no new signal is free. Therefore a call with a key records shown signals as paid even at a price of 0.
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Final, NamedTuple

from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.table_rows import TableRows
from firmograph.billing.charged_call import ChargedCalls, PricedContent
from firmograph.billing.types import Unit, signal_unit
from firmograph.caller import AccountCaller, Plan
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


Resolve = Callable[[Session], Sequence[ResultSlot]]
Restricted = Callable[[Session, Collection[int]], Collection[int]]
"""Returns the suppressed ones among numbers of missing contacts."""


class AnswerContent(NamedTuple):
    """Content of a response, to be rendered by either generation."""

    request_id: str
    credits: int
    slots: Sequence[ResultSlot]
    """In request order; each with a number or an error."""
    subjects: Mapping[int, Subject]
    events: Mapping[int, Mapping[str, Sequence[SelectedSignal]]]
    """Signals by record and type, newest first; only types with signals."""
    truncated: Collection[int]
    """Records with more signals of a type than can be shown."""
    start: str
    end: str


Compose = Callable[[AnswerContent], bytes]
ComposeRows = Callable[[AnswerContent], TableRows]
"""Returns the rows of an answer for a table."""


class SignalRequest(NamedTuple):
    """Signals call with its query, record resolver and composer."""

    call: Call[Any]
    query: SignalQuery
    resolve: Resolve
    compose: Compose
    compose_rows: ComposeRows | None = None

    @property
    def caller(self) -> AccountCaller:
        return self.call.account

    def session(self, session: Session) -> AccountSession:
        return AccountSession(session, self.caller.account_id)

    @property
    def is_priced(self) -> bool:
        return is_priced(self.caller.plan, self.query.entity)


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

    def answer(
        self,
        call: Call[Any],
        query: SignalQuery,
        resolve: Resolve,
        compose: Compose,
        compose_rows: ComposeRows | None = None,
    ) -> Deferred:
        """Answer a call: `resolve` finds the records in the same transaction, `compose` renders the response."""
        request = SignalRequest(call, query, resolve, compose, compose_rows)
        if call.idempotency_key is not None:
            return Deferred(lambda: self._charge(request))
        return Deferred(lambda: self._read(request), writes=False)

    def _read(self, request: SignalRequest) -> ChargedResponse | Deferred:
        """Return the response if nothing has to be paid, else defer it to a write transaction."""
        with self._reader_lock, self._database.read() as session:
            selection = self.select(request.session(session), request.query, request.resolve(session))
            if not (request.is_priced and self.unpaid(selection, request.call.at)):
                selection = load_events(session, selection)
                content = _answer_content(request, selection, request.call.request_id, 0)
                rows = request.compose_rows(content) if request.compose_rows else None
                return ChargedResponse(request.compose(content), 0, rows)
        return Deferred(lambda: self._charge(request))

    def _charge(self, request: SignalRequest) -> ChargedResponse:
        work = _ChargedSignals(self, request)
        return self._charged_calls.run(request.call, work, work.table_rows if request.compose_rows else None)

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


class _ChargedSignals(NamedTuple):
    """Signals call in the steps of `charged_call.ChargedWork`."""

    service: SignalsService
    request: SignalRequest

    def prepare(self) -> None:
        return None

    def compute(self, session: Session, prepared: None) -> PricedContent[Selection]:
        service, request, call = self.service, self.request, self.request.call
        last = NO_LIMIT if call.idempotency_key is None else store.last_signal_id(session)
        selected = service.select(request.session(session), request.query, request.resolve(session), last)
        selection = load_events(session, selected)
        numbers = [slot.number for slot in selection.slots]
        charge = service.charge(request.query.entity, selection, call.at)
        return PricedContent(
            selection,
            (numbers, last),
            quantities=charge.quantities,
            covered=charge.covered,
        )

    def replay(self, session: Session, prepared: None, memo: Sequence[Any]) -> Selection:
        request = self.request
        records, last = memo
        slots = replay_slots(records, request.resolve(session))
        selected = self.service.select(request.session(session), request.query, slots, last, paid_only=True)
        return load_events(session, selected)

    def render(self, session: Session, content: Selection, request_id: str, credits: int) -> bytes:
        return self.request.compose(_answer_content(self.request, content, request_id, credits))

    def table_rows(self, content: Selection) -> TableRows | None:
        compose_rows = self.request.compose_rows
        return compose_rows(_answer_content(self.request, content, "", 0)) if compose_rows else None


def is_priced(plan: Plan, entity: Entity) -> bool:
    """Return whether signals cost credits."""
    return plan.is_priced(PRICE_KEYS[entity])


def _only_paid(selection: Selection) -> Selection:
    return selection._replace(shown=[one for one in selection.shown if one.paid_at is not None])


def _answer_content(
    request: SignalRequest, selection: Selection, request_id: str, credits: int
) -> AnswerContent:
    query = request.query
    end = query.today
    start = query.start or min((one.day for one in selection.shown), default=end)
    return AnswerContent(
        request_id,
        credits,
        selection.slots,
        selection.subjects,
        group_by_type(selection),
        selection.truncated,
        min(start, end),
        end,
    )

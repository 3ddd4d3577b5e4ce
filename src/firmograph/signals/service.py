"""Signals calls of both generations: selection, price and response.

See docs/reference/signals.md#charges.

A unit is a record and a type with at least one shown event that the account has not paid for; only shown events are
paid. If there is nothing to pay and no key to store, a read transaction is enough; all else is a charged call
(`billing/charged_call.py`).

A replay shows today's records, but only signals that had been detected at the first response and that the account paid
for: no new signal is free. Therefore a call with a key records shown signals as paid even at a price of 0.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Final, NamedTuple

from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.envelope import NOT_FOUND, RESTRICTED, ResultSlot, replay_slots
from firmograph.billing.charged_call import ChargedCalls, PricedContent
from firmograph.billing.types import signal_unit
from firmograph.caller import AccountCaller
from firmograph.database.connection import AccountSession, Database, Session
from firmograph.security.record_ids import Entity
from firmograph.signals import paid_store, store
from firmograph.signals.event_renderer import EventRenderer, Subject
from firmograph.signals.filters import MOST_OF_A_TYPE, SignalQuery
from firmograph.signals.paid_store import NO_LIMIT, AccountSignal
from firmograph.signals.types import NAME_OF, NUMBER_OF

PRICE_KEYS: Final = {Entity.CONTACT: "showSignalsContact", Entity.COMPANY: "showSignalsCompany"}

_DAY: Final = 86_400.0


Resolve = Callable[[Session], Sequence[ResultSlot]]
Restricted = Callable[[Session, Collection[int]], Collection[int]]
"""Returns the suppressed ones among numbers of missing contacts."""


class SelectedSignal(NamedTuple):
    """Signal in a response."""

    identity: bytes
    type: str
    day: str
    event: bytes


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


class SignalRequest(NamedTuple):
    """Signals call with its query, record resolver and composer."""

    call: Call[Any]
    query: SignalQuery
    resolve: Resolve
    compose: Compose

    @property
    def caller(self) -> AccountCaller:
        return self.call.account

    @property
    def is_priced(self) -> bool:
        return self.caller.plan.is_priced(self.price_key)

    @property
    def price_key(self) -> str:
        return PRICE_KEYS[self.query.entity]


class _Selection(NamedTuple):
    """Signals selected for a response at one state of the database."""

    slots: Sequence[ResultSlot]
    subjects: Mapping[int, Subject]
    shown: Sequence[AccountSignal]
    truncated: Collection[int]
    events: Mapping[int, bytes] = {}
    """By signal id."""


class SignalsService:
    """Signals service shared by both generations."""

    def __init__(
        self,
        database: Database,
        renderer: EventRenderer,
        charged_calls: ChargedCalls,
        restricted: Restricted,
        repeat_days: int = 0,
    ) -> None:
        self._database = database
        self._renderer = renderer
        self._charged_calls = charged_calls
        self._restricted = restricted
        self._paid_seconds = repeat_days * _DAY
        # concurrent readers of the embedded database only compete for the interpreter and take 1.5 times as long
        self._reader_lock = threading.Lock() if database.embedded else nullcontext()

    def answer(self, call: Call[Any], query: SignalQuery, resolve: Resolve, compose: Compose) -> Deferred:
        """Answer a call: `resolve` finds the records in the same transaction, `compose` renders the response."""
        request = SignalRequest(call, query, resolve, compose)
        if call.idempotency_key is not None:
            return Deferred(lambda: self._charge(request))
        return Deferred(lambda: self._read(request), writes=False)

    def _read(self, request: SignalRequest) -> ChargedResponse | Deferred:
        """Return the response if nothing has to be paid, else defer it to a write transaction."""
        with self._reader_lock, self._database.read() as session:
            selection = self.select(session, request, request.resolve(session))
            if not (request.is_priced and self.unpaid(selection, request.call.at)):
                selection = _load_events(session, selection)
                return ChargedResponse(_compose_answer(request, selection, request.call.request_id, 0), 0)
        return Deferred(lambda: self._charge(request))

    def _charge(self, request: SignalRequest) -> ChargedResponse:
        return self._charged_calls.run(request.call, _ChargedSignals(self, request))

    # --- selection ---

    def select(
        self,
        session: Session,
        request: SignalRequest,
        slots: Sequence[ResultSlot],
        last: int = NO_LIMIT,
        *,
        paid_only: bool = False,
    ) -> _Selection:
        query = request.query
        numbers = {slot.number for slot in slots if slot.number is not None}
        subjects = self._subjects(session, query.entity, numbers)
        stored = self._read_signals(session, request, subjects.keys(), last) if subjects else []
        shown, truncated = select_shown(query, stored)
        if paid_only:
            shown = [one for one in shown if one.paid_at is not None]
        filled = self._fill_errors(session, query.entity, slots, subjects)
        return _Selection(filled, subjects, shown, truncated)

    def _read_signals(
        self, session: Session, request: SignalRequest, numbers: Collection[int], last: int
    ) -> list[AccountSignal]:
        query = request.query
        return paid_store.signals_of_records(
            AccountSession(session, request.caller.account_id),
            query.entity,
            numbers,
            query.types,
            query.start or "",
            query.today,
            # the statement does not know what the filters exclude
            most=NO_LIMIT if query.detail_filters else (query.most or MOST_OF_A_TYPE) + 1,
            last=last,
        )

    def _subjects(self, session: Session, entity: Entity, numbers: Collection[int]) -> dict[int, Subject]:
        """Return the existing records with the data that their events show. One statement."""
        if entity is Entity.CONTACT:
            return {
                number: self._renderer.contact(number) for number in store.existing_contacts(session, numbers)
            }
        return {
            number: self._renderer.company(number, card)
            for number, card in store.company_summaries(session, numbers)
        }

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

    def unpaid(self, selection: _Selection, at: float) -> list[AccountSignal]:
        """Return the signals that the account has not paid for within `repeat_reveal_days`."""
        since = at - self._paid_seconds if self._paid_seconds else -1.0
        return [one for one in selection.shown if one.paid_at is None or one.paid_at <= since]


class _ChargedSignals(NamedTuple):
    """Signals call in the steps of `charged_call.ChargedWork`."""

    service: SignalsService
    request: SignalRequest

    def prepare(self) -> None:
        return None

    def compute(self, session: Session, prepared: None) -> PricedContent[_Selection]:
        service, request, call = self.service, self.request, self.request.call
        last = NO_LIMIT if call.idempotency_key is None else store.last_signal_id(session)
        selection = _load_events(session, service.select(session, request, request.resolve(session), last))
        numbers = [slot.number for slot in selection.slots]
        returned = sum(number is not None for number in numbers)
        new = service.unpaid(selection, call.at)
        return PricedContent(
            selection,
            (returned, numbers, last),
            quantities={request.price_key: len({(one.number, one.type) for one in new})},
            covered={signal_unit(one.identity) for one in new},
        )

    def replay(self, session: Session, prepared: None, memo: Sequence[Any]) -> _Selection:
        request = self.request
        _, records, last = memo
        slots = replay_slots(records, request.resolve(session))
        return _load_events(session, self.service.select(session, request, slots, last, paid_only=True))

    def render(self, session: Session, content: _Selection, request_id: str, credits: int) -> bytes:
        return _compose_answer(self.request, content, request_id, credits)


def _compose_answer(request: SignalRequest, selection: _Selection, request_id: str, credits: int) -> bytes:
    query = request.query
    end = query.today
    start = query.start or min((one.day for one in selection.shown), default=end)
    return request.compose(
        AnswerContent(
            request_id,
            credits,
            selection.slots,
            selection.subjects,
            _group_by_type(selection),
            selection.truncated,
            min(start, end),
            end,
        )
    )


def _load_events(session: Session, selection: _Selection) -> _Selection:
    """Load the events of the selected signals. One statement.

    On a server a signal may have been deleted since it was selected, for example with a person that it names. It is
    then not shown.
    """
    events = store.stored_events(session, [one.id for one in selection.shown]) if selection.shown else {}
    return selection._replace(shown=[one for one in selection.shown if one.id in events], events=events)


def select_shown(
    query: SignalQuery, signals: Iterable[AccountSignal]
) -> tuple[list[AccountSignal], set[int]]:
    """Return the signals to show, and the records with more signals of a type than can be shown.

    Input and output are ordered by record and type, newest first.
    """
    bounds = {
        NUMBER_OF[type]: (query.since(type), query.limit(type), query.detail_filters.get(type))
        for type in query.types
    }
    shown: list[AccountSignal] = []
    truncated: set[int] = set()
    counted, group = 0, (0, 0)
    for one in signals:
        since, limit, matches = bounds[one.type]
        if (one.number, one.type) != group:
            counted, group = 0, (one.number, one.type)
        if one.day < since or (matches and not matches(one.detail)):
            continue
        counted += 1
        if counted <= limit:
            shown.append(one)
        elif limit == MOST_OF_A_TYPE:
            truncated.add(one.number)
    return shown, truncated


def _group_by_type(selection: _Selection) -> dict[int, dict[str, list[SelectedSignal]]]:
    found: dict[int, dict[str, list[SelectedSignal]]] = {}
    group, type = (0, 0), ""
    views: list[SelectedSignal] = []
    for one in selection.shown:
        if (one.number, one.type) != group:
            group, type, views = (one.number, one.type), NAME_OF[one.type], []
            found.setdefault(one.number, {})[type] = views
        views.append(SelectedSignal(one.identity, type, one.day, selection.events[one.id]))
    return found

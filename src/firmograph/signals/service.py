"""Answering what is asked of signals: found, paid and shown at one state of the database.

See docs/reference/signals.md#charges.

One unit is one record and one type that shows at least one event which the account has not paid for; only shown events
are paid. Charge and effect are one transaction: events are read, noted as paid, credits taken and the idempotency key
kept while the account's writer is held. Where nothing is left to pay, and no key is to be kept, a reading transaction
is enough.

A replay shows today's records, and of their signals only those that had been detected when the call was first answered
and that the account paid for: nothing new comes for nothing. So a call with a key notes what it showed even where the
price is 0.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Final, NamedTuple

from firmograph.accounts.caller import Caller
from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.api.envelope import ItemErrorCode
from firmograph.billing import ledger
from firmograph.billing.idempotency import CachedResponse, Idempotency
from firmograph.database.connection import Database, Session, account_scope
from firmograph.security.record_ids import Entity
from firmograph.signals import paid_store, store
from firmograph.signals.filters import MOST_OF_A_TYPE, Question
from firmograph.signals.paid_store import EVERY, Held
from firmograph.signals.render import Renderer, Subject
from firmograph.signals.types import NAME_OF, NUMBER_OF

NOT_FOUND: Final = "NOT_FOUND"
RESTRICTED: Final = "COMPLIANCE_RESTRICTED"
PRICE_KEYS: Final = {Entity.CONTACT: "showSignalsContact", Entity.COMPANY: "showSignalsCompany"}

_DAY: Final = 86_400.0


class Place(NamedTuple):
    """One item of the request: the record that it means, or the code of its error."""

    number: int | None
    error: ItemErrorCode | None = None
    """None where only the number can tell, once its record turns out to be missing."""


Resolve = Callable[[Session], Sequence[Place]]
Restricted = Callable[[Session, Collection[int]], Collection[int]]
"""Those of some record numbers of contacts that were suppressed."""


class Event(NamedTuple):
    """A signal that is shown."""

    identity: bytes
    type: str
    day: str
    event: bytes


class Answered(NamedTuple):
    """What an answer is made from."""

    request_id: str
    credits: int
    places: Sequence[Place]
    """As they were asked for; where there is no number there is an error."""
    subjects: Mapping[int, Subject]
    events: Mapping[int, Mapping[str, Sequence[Event]]]
    """Of each record the types that have any, newest first."""
    truncated: Collection[int]
    """Records of which a type has more than can be shown."""
    start: str
    end: str


Compose = Callable[[Answered], bytes]


class Asking(NamedTuple):
    """One call."""

    call: Call[Any]
    question: Question
    resolve: Resolve
    compose: Compose

    @property
    def caller(self) -> Caller:
        caller: Caller = self.call.caller
        return caller

    @property
    def is_priced(self) -> bool:
        return self.caller.plan.is_priced(self.price_key)

    @property
    def price_key(self) -> str:
        return PRICE_KEYS[self.question.entity]


class _Seen(NamedTuple):
    """What one state of the database shows."""

    places: Sequence[Place]
    subjects: Mapping[int, Subject]
    shown: Sequence[Held]
    truncated: Collection[int]
    events: Mapping[int, bytes] = {}
    """By id of the signal."""


class SignalsService:
    """Answers the signals calls of both generations."""

    def __init__(
        self,
        database: Database,
        renderer: Renderer,
        idempotency: Idempotency,
        restricted: Restricted,
        repeat_days: int = 0,
    ) -> None:
        self._database = database
        self._renderer = renderer
        self._idempotency = idempotency
        self._restricted = restricted
        self._paid_seconds = repeat_days * _DAY
        # readers of the embedded database only take the interpreter from each other, at half as much time again
        self._turn = threading.Lock() if database.embedded else nullcontext()

    def answer(self, call: Call[Any], question: Question, resolve: Resolve, compose: Compose) -> Deferred:
        """`resolve` finds the records in the transaction of the answer, `compose` writes the answer."""
        asking = Asking(call, question, resolve, compose)
        if call.idempotency_key is not None:
            return Deferred(lambda: self._charge(asking))
        return Deferred(lambda: self._read(asking), writes=False)

    def _read(self, asking: Asking) -> ChargedResponse | Deferred:
        """The answer itself where nothing is to be paid, else one that waits for the writer."""
        with self._turn, self._database.read() as session:
            seen = self._see(session, asking, asking.resolve(session))
            if not (asking.is_priced and self._unpaid(seen, asking.call.at)):
                seen = _with_events(session, seen)
                return ChargedResponse(self._compose(asking, seen, asking.call.request_id, 0), 0)
        return Deferred(lambda: self._charge(asking))

    def _charge(self, asking: Asking) -> ChargedResponse:
        call, account, key = asking.call, asking.caller.account_id, asking.call.idempotency_key
        with (
            self._idempotency.running(account, call.path, key),
            self._database.write(account_scope(account)) as session,
        ):
            kept = self._idempotency.find(session, account, call.path, key, call.raw)
            if kept is not None:
                return ChargedResponse(self._replay(session, asking, kept), 0)
            return self._charge_once(session, asking)

    def _charge_once(self, session: Session, asking: Asking) -> ChargedResponse:
        call, account = asking.call, asking.caller.account_id
        key = call.idempotency_key
        last = store.last(session) if key else EVERY
        seen = _with_events(session, self._see(session, asking, asking.resolve(session), last))
        new = self._unpaid(seen, call.at)
        credits = self._buy(session, asking, new)
        if key:
            numbers = [place.number for place in seen.places]
            returned = sum(number is not None for number in numbers)
            kept = CachedResponse(call.request_id, credits, returned, numbers, last)
            self._idempotency.keep(session, account, call.path, key, call.raw, kept)
        return ChargedResponse(self._compose(asking, seen, call.request_id, credits), credits)

    def _buy(self, session: Session, asking: Asking, new: Sequence[Held]) -> int:
        call, caller = asking.call, asking.caller
        if not new:
            return 0
        paid_store.put_paid(
            session, caller.account_id, {one.identity for one in new}, call.at, call.request_id
        )
        if not asking.is_priced:
            return 0
        units = len({(one.number, one.type) for one in new})
        quantities = {asking.price_key: units}
        return ledger.charge(session, caller.account_id, caller.plan, quantities, call.request_id, call.at)

    def _replay(self, session: Session, asking: Asking, kept: CachedResponse) -> bytes:
        places = [
            Place(number, now.error if number is None or now.number is None else None)
            for number, now in zip(kept.records, asking.resolve(session), strict=True)
        ]
        seen = self._see(session, asking, places, kept.last_signal, paid_only=True)
        seen = _with_events(session, seen)
        return self._compose(asking, seen, kept.request_id, kept.credits_charged)

    # --- what is shown ---

    def _see(
        self,
        session: Session,
        asking: Asking,
        places: Sequence[Place],
        last: int = EVERY,
        *,
        paid_only: bool = False,
    ) -> _Seen:
        question = asking.question
        asked = {place.number for place in places if place.number is not None}
        subjects = self._subjects(session, question.entity, asked)
        held = self._held(session, asking, subjects.keys(), last) if subjects else []
        shown, truncated = select(question, held)
        if paid_only:
            shown = [one for one in shown if one.paid_at is not None]
        judged = self._judged(session, question.entity, places, subjects)
        return _Seen(judged, subjects, shown, truncated)

    def _held(self, session: Session, asking: Asking, numbers: Collection[int], last: int) -> list[Held]:
        question = asking.question
        return paid_store.of_records(
            session,
            asking.caller.account_id,
            question.entity,
            numbers,
            question.types,
            question.start or "",
            question.today,
            # what filters leave out is not known to the statement
            most=EVERY if question.narrowed else (question.most or MOST_OF_A_TYPE) + 1,
            last=last,
        )

    def _subjects(self, session: Session, entity: Entity, numbers: Collection[int]) -> dict[int, Subject]:
        """Those of the records that are held. One statement."""
        if entity is Entity.CONTACT:
            return {
                number: self._renderer.contact(number) for number in store.held_contacts(session, numbers)
            }
        return {
            number: self._renderer.company(number, card)
            for number, card in store.company_cards(session, numbers)
        }

    def _judged(
        self, session: Session, entity: Entity, places: Sequence[Place], subjects: Collection[int]
    ) -> list[Place]:
        """The places with the error of each that has no record."""
        gone = {place.number for place in places if place.number is not None} - set(subjects)
        restricted = self._restricted(session, gone) if gone and entity is Entity.CONTACT else ()
        return [
            place
            if place.number in subjects
            else Place(None, place.error or (RESTRICTED if place.number in restricted else NOT_FOUND))
            for place in places
        ]

    def _unpaid(self, seen: _Seen, at: float) -> list[Held]:
        """What of it the account has not paid for, or so long ago that it counts no more (`repeat_reveal_days`)."""
        since = at - self._paid_seconds if self._paid_seconds else -1.0
        return [one for one in seen.shown if one.paid_at is None or one.paid_at <= since]

    def _compose(self, asking: Asking, seen: _Seen, request_id: str, credits: int) -> bytes:
        question = asking.question
        end = question.today
        start = question.start or min((one.day for one in seen.shown), default=end)
        events = _grouped(seen)
        return asking.compose(
            Answered(
                request_id, credits, seen.places, seen.subjects, events, seen.truncated, min(start, end), end
            )
        )


def _with_events(session: Session, seen: _Seen) -> _Seen:
    """One statement. On a server a signal may have gone since it was seen, with whom it names: then it is not shown."""
    events = store.events(session, [one.id for one in seen.shown]) if seen.shown else {}
    return seen._replace(shown=[one for one in seen.shown if one.id in events], events=events)


def select(question: Question, held: Iterable[Held]) -> tuple[list[Held], set[int]]:
    """Which of the signals are shown, and the records of which a type has more than can be.

    They come, and go, by record and type, newest first.
    """
    bounds = {
        NUMBER_OF[type]: (question.since(type), question.limit(type), question.narrowed.get(type))
        for type in question.types
    }
    shown: list[Held] = []
    truncated: set[int] = set()
    counted, group = 0, (0, 0)
    for one in held:
        since, limit, fits = bounds[one.type]
        if (one.number, one.type) != group:
            counted, group = 0, (one.number, one.type)
        if one.day < since or (fits and not fits(one.detail)):
            continue
        counted += 1
        if counted <= limit:
            shown.append(one)
        elif limit == MOST_OF_A_TYPE:
            truncated.add(one.number)
    return shown, truncated


def _grouped(seen: _Seen) -> dict[int, dict[str, list[Event]]]:
    found: dict[int, dict[str, list[Event]]] = {}
    group, type = (0, 0), ""
    those: list[Event] = []
    for one in seen.shown:
        if (one.number, one.type) != group:
            group, type, those = (one.number, one.type), NAME_OF[one.type], []
            found.setdefault(one.number, {})[type] = those
        those.append(Event(one.identity, type, one.day, seen.events[one.id]))
    return found

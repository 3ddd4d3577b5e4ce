"""The signals calls of the current generation (docs/reference/signals.md#requests)."""

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import UNSET

from firmograph.api.endpoint import Call, Deferred
from firmograph.api.envelope import ItemErrorCode, item_message
from firmograph.database.connection import Session
from firmograph.kit.clock import Clock, today
from firmograph.security.record_ids import Entity
from firmograph.signals import filters
from firmograph.signals.render import Renderer, Subject
from firmograph.signals.service import NOT_FOUND, Answered, Event, Place, SignalsService
from firmograph.signals.shapes import CompanySignalsRequest, ContactSignalsRequest

Numbers = Callable[[Entity, Sequence[str]], Sequence[int]]
"""The record numbers of ids, one of no record where there is none; raises BadRequest for a malformed one."""

_json = msgspec.json.Encoder().encode


class SignalsCalls:
    """Signals by record ids: answers in the order of the ids, duplicates each in its place."""

    def __init__(self, service: SignalsService, renderer: Renderer, numbers: Numbers, clock: Clock) -> None:
        self._service = service
        self._renderer = renderer
        self._numbers = numbers
        self._clock = clock

    def contacts(self, call: Call[ContactSignalsRequest]) -> Deferred:
        body = call.body
        question = filters.question(Entity.CONTACT, body, today(self._clock), names=body.signal_types)
        return self._answer(call, question, body.ids)

    def companies(self, call: Call[CompanySignalsRequest]) -> Deferred:
        body = call.body
        include = UNSET if body.filters is UNSET else body.filters.include
        question = filters.question(
            Entity.COMPANY, body, today(self._clock), names=body.signal_types, include=include
        )
        return self._answer(call, question, body.ids)

    def _answer(
        self,
        call: Call[ContactSignalsRequest] | Call[CompanySignalsRequest],
        question: filters.Question,
        ids: Sequence[str],
    ) -> Deferred:
        places = [Place(number) for number in self._numbers(question.entity, ids)]

        def resolve(session: Session) -> Sequence[Place]:
            return places

        def compose(answered: Answered) -> bytes:
            return self._composed(question, ids, answered)

        return self._service.answer(call, question, resolve, compose)

    def _composed(self, question: filters.Question, ids: Sequence[str], answered: Answered) -> bytes:
        records = {
            number: self._record(
                question, subject, answered.events.get(number, {}), number in answered.truncated
            )
            for number, subject in answered.subjects.items()
        }
        results = [
            records[place.number] if place.number is not None else _error(question.entity, id, place.error)
            for id, place in zip(ids, answered.places, strict=True)
        ]
        return (
            b'{"requestId":"%s","results":[%s],"startDate":"%s","endDate":"%s",'
            b'"billing":{"creditsCharged":%d,"resultsReturned":%d}}'
        ) % (
            answered.request_id.encode(),
            b",".join(results),
            answered.start.encode(),
            answered.end.encode(),
            answered.credits,
            sum(place.number is not None for place in answered.places),
        )

    def _record(
        self,
        question: filters.Question,
        subject: Subject,
        events: Mapping[str, Sequence[Event]],
        truncated: bool,
    ) -> bytes:
        if question.entity is Entity.CONTACT:
            parts = [b'{"id":"%s"' % subject.token]
            events = {type: events.get(type, ()) for type in question.types}
        else:
            parts = [
                b'{"id":"%s","companyName":%s,"domain":%s' % (subject.token, subject.name, subject.domain)
            ]
        shown = self._renderer.event
        for type, those in events.items():
            parts.append(b',"%s":[%s]' % (type.encode(), b",".join([shown(subject, one) for one in those])))
        parts.append(b',"truncated":true}' if truncated else b"}")
        return b"".join(parts)


def _error(entity: Entity, id: str, code: ItemErrorCode | None) -> bytes:
    code = code or NOT_FOUND
    message = item_message(entity, code)
    return b'{"id":%s,"error":{"code":"%s","message":"%s"}}' % (_json(id), code.encode(), message.encode())

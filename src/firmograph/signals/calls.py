"""V3 signals calls (docs/reference/signals.md#requests)."""

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import UNSET

from firmograph.api.endpoint import Call, Deferred
from firmograph.api.envelope import render_answer
from firmograph.api.table_rows import SignalCells, TableRows, requested_rows
from firmograph.database.connection import Session
from firmograph.directory.result_slots import NOT_FOUND, ItemErrorCode, ResultSlot, item_message
from firmograph.kit.clock import Clock, today
from firmograph.security.record_ids import Entity
from firmograph.signals import filters
from firmograph.signals.event_renderer import EventRenderer, Subject
from firmograph.signals.selection import SelectedSignal
from firmograph.signals.service import AnswerContent, SignalsService
from firmograph.signals.shapes import CompanySignalsRequest, ContactSignalsRequest
from firmograph.signals.types import NAMING_TYPES

Numbers = Callable[[Entity, Sequence[str]], Sequence[int]]
"""Returns record numbers by ids, a number without record for unknown ids; raises BadRequest for malformed ids."""

_json = msgspec.json.Encoder().encode


class SignalsCalls:
    """Signals by record ids: results in the order of the ids, duplicates included."""

    def __init__(
        self, service: SignalsService, renderer: EventRenderer, numbers: Numbers, clock: Clock
    ) -> None:
        self._service = service
        self._renderer = renderer
        self._numbers = numbers
        self._clock = clock

    def contacts(self, call: Call[ContactSignalsRequest]) -> Deferred:
        body = call.body
        query = filters.read_query(Entity.CONTACT, body, today(self._clock), names=body.signal_types)
        return self._answer(call, query, body.ids)

    def companies(self, call: Call[CompanySignalsRequest]) -> Deferred:
        body = call.body
        include = UNSET if body.filters is UNSET else body.filters.include
        query = filters.read_query(
            Entity.COMPANY, body, today(self._clock), names=body.signal_types, include=include
        )
        return self._answer(call, query, body.ids)

    def _answer(
        self,
        call: Call[ContactSignalsRequest] | Call[CompanySignalsRequest],
        query: filters.SignalQuery,
        ids: Sequence[str],
    ) -> Deferred:
        slots = [ResultSlot(number) for number in self._numbers(query.entity, ids)]

        def resolve(session: Session) -> Sequence[ResultSlot]:
            return slots

        def compose(content: AnswerContent) -> bytes:
            return self._compose(query, ids, content)

        requested = requested_rows(call, query.entity)
        if requested is None:
            return self._service.answer(call, query, resolve, compose)
        rows = requested

        def compose_rows(content: AnswerContent) -> TableRows:
            cells = SignalCells(query.types, query.start, self._cells(content), _sources(content))
            return rows._replace(numbers=_held_records(content), signals=cells)

        return self._service.answer(call, query, resolve, compose, compose_rows)

    def _cells(self, content: AnswerContent) -> dict[int, bytes]:
        """Return the cells of a table's signal column, with the events of the answer."""
        subjects, render = content.subjects, self._renderer.cell
        cells = {number: render(subjects[number], events) for number, events in content.events.items()}
        return {number: cell for number, cell in cells.items() if cell is not None}

    def _compose(self, query: filters.SignalQuery, ids: Sequence[str], content: AnswerContent) -> bytes:
        records = {
            number: self._record(query, subject, content.events.get(number, {}), number in content.truncated)
            for number, subject in content.subjects.items()
        }
        results = [
            records[slot.number] if slot.number is not None else _error(query.entity, id, slot.error)
            for id, slot in zip(ids, content.slots, strict=True)
        ]
        period = b'"startDate":"%s","endDate":"%s",' % (content.start.encode(), content.end.encode())
        returned = sum(slot.number is not None for slot in content.slots)
        return render_answer(content.request_id, results, content.credits, returned, period)

    def _record(
        self,
        query: filters.SignalQuery,
        subject: Subject,
        events: Mapping[str, Sequence[SelectedSignal]],
        truncated: bool,
    ) -> bytes:
        if query.entity is Entity.CONTACT:
            parts = [b'{"id":"%s"' % subject.token]
            events = {type: events.get(type, ()) for type in query.types}
        else:
            parts = [
                b'{"id":"%s","companyName":%s,"domain":%s' % (subject.token, subject.name, subject.domain)
            ]
        render = self._renderer.event
        for type, signals in events.items():
            parts.append(
                b',"%s":[%s]' % (type.encode(), b",".join([render(subject, one) for one in signals]))
            )
        parts.append(b',"truncated":true}' if truncated else b"}")
        return b"".join(parts)


def _error(entity: Entity, id: str, code: ItemErrorCode | None) -> bytes:
    code = code or NOT_FOUND
    message = item_message(entity, code)
    return b'{"id":%s,"error":{"code":"%s","message":"%s"}}' % (_json(id), code.encode(), message.encode())


def _sources(content: AnswerContent) -> dict[int, dict[bytes, bytes]]:
    """Return the stored events that may name people, which may be erased before a table has them."""
    return {
        number: {one.identity: one.event for type in NAMING_TYPES for one in events.get(type, ())}
        for number, events in content.events.items()
    }


def _held_records(content: AnswerContent) -> list[int]:
    """Return the records of the results in order, each once."""
    numbers = dict.fromkeys(slot.number for slot in content.slots)
    return [number for number in numbers if number is not None]

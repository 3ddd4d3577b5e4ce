"""V3 signals calls (docs/reference/signals.md#requests)."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import Request
from firmograph.directory.result_slots import NOT_FOUND, ItemErrorCode, ResultSlot, item_message
from firmograph.kit.clock import Clock, today
from firmograph.security.record_ids import Entity
from firmograph.signals import filters
from firmograph.signals.event_renderer import EventRenderer, Subject
from firmograph.signals.selection import SelectedSignal
from firmograph.signals.service import FoundSignals, SignalRequest, SignalsService
from firmograph.signals.shapes import CompanySignalsRequest, ContactSignalsRequest
from firmograph.signals.types import NAMING_TYPES
from firmograph.table_rows import SignalCells, TableRows

Numbers = Callable[[Entity, Sequence[str]], Sequence[int]]
"""Returns record numbers by ids, a number without record for unknown ids; raises BadRequest for malformed ids."""

_json = msgspec.json.Encoder().encode


class ShownSignals(NamedTuple):
    """Content of an answer."""

    query: filters.SignalQuery
    results: Sequence[bytes]
    """Rendered result of each id, or its error."""
    found: FoundSignals

    @property
    def returned(self) -> int:
        return sum(slot.number is not None for slot in self.found.slots)


class SignalsCalls:
    """Signals by record ids: results in the order of the ids, duplicates included."""

    def __init__(
        self, service: SignalsService, renderer: EventRenderer, numbers: Numbers, clock: Clock
    ) -> None:
        self._service = service
        self._renderer = renderer
        self._numbers = numbers
        self._clock = clock

    def contacts(self, request: Request, body: ContactSignalsRequest) -> ChargedCall[ShownSignals]:
        query = filters.read_query(Entity.CONTACT, body, today(self._clock), names=body.signal_types)
        return self._ready(request, query, body.ids)

    def companies(self, request: Request, body: CompanySignalsRequest) -> ChargedCall[ShownSignals]:
        include = UNSET if body.filters is UNSET else body.filters.include
        query = filters.read_query(
            Entity.COMPANY, body, today(self._clock), names=body.signal_types, include=include
        )
        return self._ready(request, query, body.ids)

    def _ready(
        self, request: Request, query: filters.SignalQuery, ids: Sequence[str]
    ) -> ChargedCall[ShownSignals]:
        slots = [ResultSlot(number) for number in self._numbers(query.entity, ids)]

        def show(found: FoundSignals) -> ShownSignals:
            return ShownSignals(query, self._results(query, ids, found), found)

        return self._service.ready(SignalRequest(request, query, lambda session: slots, show))

    def fill_rows(self, rows: TableRows, content: ShownSignals) -> TableRows:
        """Return rows for a table with the records of an answer, and the cells of their signals."""
        query, found = content.query, content.found
        cells = SignalCells(query.types, query.start, self._cells(found), _sources(found))
        return rows._replace(numbers=_held_records(found), signals=cells)

    def _cells(self, found: FoundSignals) -> dict[int, bytes]:
        """Return the cells of a table's signal column, with the events of the answer."""
        subjects, render = found.subjects, self._renderer.cell
        cells = {number: render(subjects[number], events) for number, events in found.events.items()}
        return {number: cell for number, cell in cells.items() if cell is not None}

    def _results(self, query: filters.SignalQuery, ids: Sequence[str], found: FoundSignals) -> list[bytes]:
        records = {
            number: self._record(query, subject, found.events.get(number, {}), number in found.truncated)
            for number, subject in found.subjects.items()
        }
        return [
            records[slot.number] if slot.number is not None else _error(query.entity, id, slot.error)
            for id, slot in zip(ids, found.slots, strict=True)
        ]

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


def _sources(found: FoundSignals) -> dict[int, dict[bytes, bytes]]:
    """Return the stored events that may name people, which may be erased before a table has them."""
    return {
        number: {one.identity: one.event for type in NAMING_TYPES for one in events.get(type, ())}
        for number, events in found.events.items()
    }


def _held_records(found: FoundSignals) -> list[int]:
    """Return the records of the results in order, each once."""
    numbers = dict.fromkeys(slot.number for slot in found.slots)
    return [number for number in numbers if number is not None]

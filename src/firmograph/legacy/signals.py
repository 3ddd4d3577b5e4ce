"""Legacy signal calls: older shapes over the current signals service.

See docs/reference/legacy.md#signals-calls.

Events paid for through one generation of endpoints are free in the other. The response maps requested ids, or the
caller's own keys in searches, to records; unknown records have no entry.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.api.endpoint import Call, Deferred
from firmograph.database.connection import Session
from firmograph.directory.result_slots import ResultSlot
from firmograph.kit.clock import Clock, today
from firmograph.legacy import signal_shapes as shapes
from firmograph.legacy.identified import RecordFinder, items_by_key
from firmograph.legacy.signal_arrays import read_signal_query, render_arrays
from firmograph.security.record_ids import Entity
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.filters import SignalQuery
from firmograph.signals.service import AnswerContent, SignalsService

_KEYS: Final = {Entity.CONTACT: (b"contacts", b"personId"), Entity.COMPANY: (b"companies", b"companyId")}

_json = msgspec.json.Encoder().encode


class LegacySignals:
    """The four legacy calls."""

    def __init__(
        self,
        service: SignalsService,
        renderer: EventRenderer,
        finder: RecordFinder,
        clock: Clock,
    ) -> None:
        self._service = service
        self._renderer = renderer
        self._finder = finder
        self._clock = clock

    def contacts(self, call: Call[shapes.LegacyContactSignalsRequest]) -> Deferred:
        query = self._read_query(Entity.CONTACT, call.body)
        return self._by_id(call, query, call.body.contact_ids, "contactIds")

    def companies(self, call: Call[shapes.LegacyCompanySignalsRequest]) -> Deferred:
        query = self._read_query(Entity.COMPANY, call.body, call.body.filters)
        return self._by_id(call, query, call.body.company_ids, "companyIds")

    def contacts_search(self, call: Call[shapes.LegacyContactSignalsSearch]) -> Deferred:
        query = self._read_query(Entity.CONTACT, call.body)
        items = items_by_key(call.body.contacts, "contacts", lambda item: item.id)
        return self._answer(
            call, query, list(items), lambda s: self._finder.contacts(s, list(items.values()))
        )

    def companies_search(self, call: Call[shapes.LegacyCompanySignalsSearch]) -> Deferred:
        query = self._read_query(Entity.COMPANY, call.body, call.body.filters)
        items = items_by_key(call.body.companies, "companies", lambda item: str(item.id))
        return self._answer(
            call, query, list(items), lambda s: self._finder.companies(s, list(items.values()))
        )

    def _by_id(self, call: Call[Any], query: SignalQuery, ids: Sequence[int | str], path: str) -> Deferred:
        """Answer by the ids as they were sent. Raises BadRequest for a malformed one."""
        texts = [str(id) for id in ids]
        numbers = dict(zip(texts, self._finder.numbers(query.entity, texts, path), strict=True))
        return self._answer(call, query, list(numbers), lambda session: list(numbers.values()))

    def _answer(
        self,
        call: Call[Any],
        query: SignalQuery,
        keys: Sequence[str],
        find: Callable[[Session], Sequence[int | None]],
    ) -> Deferred:
        def resolve(session: Session) -> list[ResultSlot]:
            return [ResultSlot(number, None if number else "NOT_FOUND") for number in find(session)]

        return self._service.answer(call, query, resolve, lambda content: self._compose(query, keys, content))

    def _read_query(
        self, entity: Entity, body: Any, filters: shapes.LegacyFilters | UnsetType = UNSET
    ) -> SignalQuery:
        """Return the parsed query. Raises BadRequest, also for types the legacy endpoints lack."""
        include = UNSET if filters is UNSET else filters.include
        return read_signal_query(entity, body.signals, body, today(self._clock), include=include)

    # --- response ---

    def _compose(self, query: SignalQuery, keys: Sequence[str], content: AnswerContent) -> bytes:
        records_key, _ = _KEYS[query.entity]
        records = (
            b"%s:%s" % (_json(key), self._record(query, slot.number, content))
            for key, slot in zip(keys, content.slots, strict=True)
            if slot.number is not None
        )
        return b'{"%s":{%s},"startDate":"%s","endDate":"%s","creditCharged":%d}' % (
            records_key,
            b",".join(records),
            content.start.encode(),
            content.end.encode(),
            content.credits,
        )

    def _record(self, query: SignalQuery, number: int, content: AnswerContent) -> bytes:
        subject = content.subjects[number]
        _, id_key = _KEYS[query.entity]
        parts = [b'"%s":"%d"' % (id_key, subject.legacy)]
        if query.entity is Entity.COMPANY:
            parts.append(b'"companyName":%s,"domain":%s' % (subject.name, subject.domain))
        events = content.events.get(number, {})
        is_truncated = number in content.truncated
        parts += render_arrays(self._renderer, query, subject, events, is_truncated=is_truncated)
        return b"{%s}" % b",".join(parts)

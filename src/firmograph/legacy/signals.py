"""Legacy signal calls: older shapes over the current signals service.

See docs/reference/legacy.md#signals-calls.

Events paid for through one generation of endpoints are free in the other. The response maps requested ids, or the
caller's own keys in searches, to records; unknown records have no entry.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import Request
from firmograph.database.connection import Session
from firmograph.directory.result_slots import ResultSlot
from firmograph.kit.clock import Clock, today
from firmograph.legacy import signal_shapes as shapes
from firmograph.legacy.identified import RecordFinder, items_by_key
from firmograph.legacy.signal_arrays import read_signal_query, render_arrays
from firmograph.security.record_ids import Entity
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.filters import SignalQuery
from firmograph.signals.service import FoundSignals, SignalRequest, SignalsService

_ID_KEYS: Final = {Entity.CONTACT: b"personId", Entity.COMPANY: b"companyId"}

_json = msgspec.json.Encoder().encode


class LegacySignalsContent(NamedTuple):
    """Content of an answer."""

    entity: Entity
    records: Sequence[bytes]
    """Rendered records, each after its key."""
    start: str
    end: str


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

    def contacts(
        self, request: Request, body: shapes.LegacyContactSignalsRequest
    ) -> ChargedCall[LegacySignalsContent]:
        query = self._read_query(Entity.CONTACT, body)
        return self._by_id(request, query, body.contact_ids, "contactIds")

    def companies(
        self, request: Request, body: shapes.LegacyCompanySignalsRequest
    ) -> ChargedCall[LegacySignalsContent]:
        query = self._read_query(Entity.COMPANY, body, body.filters)
        return self._by_id(request, query, body.company_ids, "companyIds")

    def contacts_search(
        self, request: Request, body: shapes.LegacyContactSignalsSearch
    ) -> ChargedCall[LegacySignalsContent]:
        query = self._read_query(Entity.CONTACT, body)
        items = items_by_key(body.contacts, "contacts", lambda item: item.id)
        return self._ready(
            request, query, list(items), lambda s: self._finder.contacts(s, list(items.values()))
        )

    def companies_search(
        self, request: Request, body: shapes.LegacyCompanySignalsSearch
    ) -> ChargedCall[LegacySignalsContent]:
        query = self._read_query(Entity.COMPANY, body, body.filters)
        items = items_by_key(body.companies, "companies", lambda item: str(item.id))
        return self._ready(
            request, query, list(items), lambda s: self._finder.companies(s, list(items.values()))
        )

    def _by_id(
        self, request: Request, query: SignalQuery, ids: Sequence[int | str], path: str
    ) -> ChargedCall[LegacySignalsContent]:
        """Answer by the ids as they were sent. Raises BadRequest for a malformed one."""
        texts = [str(id) for id in ids]
        numbers = dict(zip(texts, self._finder.numbers(query.entity, texts, path), strict=True))
        return self._ready(request, query, list(numbers), lambda session: list(numbers.values()))

    def _ready(
        self,
        request: Request,
        query: SignalQuery,
        keys: Sequence[str],
        find: Callable[[Session], Sequence[int | None]],
    ) -> ChargedCall[LegacySignalsContent]:
        def resolve(session: Session) -> list[ResultSlot]:
            return [ResultSlot(number, None if number else "NOT_FOUND") for number in find(session)]

        return self._service.ready(
            SignalRequest(request, query, resolve, lambda found: self._show(query, keys, found))
        )

    def _read_query(
        self, entity: Entity, body: Any, filters: shapes.LegacyFilters | UnsetType = UNSET
    ) -> SignalQuery:
        """Return the parsed query. Raises BadRequest, also for types the legacy endpoints lack."""
        include = UNSET if filters is UNSET else filters.include
        return read_signal_query(entity, body.signals, body, today(self._clock), include=include)

    # --- response ---

    def _show(self, query: SignalQuery, keys: Sequence[str], found: FoundSignals) -> LegacySignalsContent:
        records = [
            b"%s:%s" % (_json(key), self._record(query, slot.number, found))
            for key, slot in zip(keys, found.slots, strict=True)
            if slot.number is not None
        ]
        return LegacySignalsContent(query.entity, records, found.start, found.end)

    def _record(self, query: SignalQuery, number: int, found: FoundSignals) -> bytes:
        subject = found.subjects[number]
        parts = [b'"%s":"%d"' % (_ID_KEYS[query.entity], subject.legacy)]
        if query.entity is Entity.COMPANY:
            parts.append(b'"companyName":%s,"domain":%s' % (subject.name, subject.domain))
        events = found.events.get(number, {})
        is_truncated = number in found.truncated
        parts += render_arrays(self._renderer, query, subject, events, is_truncated=is_truncated)
        return b"{%s}" % b",".join(parts)

"""Legacy signal calls: older shapes over the current signals service.

See docs/reference/legacy.md#signals-calls.

Events paid for through one generation of endpoints are free in the other. The response maps requested ids, or the
caller's own keys in searches, to records; unknown records have no entry.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.api.endpoint import Call, Deferred
from firmograph.api.envelope import ResultSlot
from firmograph.database.connection import Session
from firmograph.kit.clock import Clock, today
from firmograph.kit.errors import BadRequest
from firmograph.legacy import signal_shapes as shapes
from firmograph.legacy.identified import RecordFinder
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals import types
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.filters import MOST_OF_A_TYPE, SignalQuery, read_query
from firmograph.signals.service import AnswerContent, SignalsService

_KEYS: Final = {Entity.CONTACT: (b"contacts", b"personId"), Entity.COMPANY: (b"companies", b"companyId")}

_json = msgspec.json.Encoder().encode


class LegacySignals:
    """The four legacy calls."""

    def __init__(
        self,
        service: SignalsService,
        renderer: EventRenderer,
        tokens: RecordIds,
        finder: RecordFinder,
        clock: Clock,
    ) -> None:
        self._service = service
        self._renderer = renderer
        self._tokens = tokens
        self._finder = finder
        self._clock = clock

    def contacts(self, call: Call[shapes.LegacyContactSignalsRequest]) -> Deferred:
        return self._by_id(call, self._read_query(Entity.CONTACT, call.body), call.body.contact_ids)

    def companies(self, call: Call[shapes.LegacyCompanySignalsRequest]) -> Deferred:
        query = self._read_query(Entity.COMPANY, call.body, call.body.filters)
        return self._by_id(call, query, call.body.company_ids)

    def contacts_search(self, call: Call[shapes.LegacyContactSignalsSearch]) -> Deferred:
        query = self._read_query(Entity.CONTACT, call.body)
        items = _by_key(call.body.contacts, "contacts")
        return self._answer(
            call, query, list(items), lambda s: self._finder.contacts(s, list(items.values()))
        )

    def companies_search(self, call: Call[shapes.LegacyCompanySignalsSearch]) -> Deferred:
        query = self._read_query(Entity.COMPANY, call.body, call.body.filters)
        items = _by_key(call.body.companies, "companies")
        return self._answer(
            call, query, list(items), lambda s: self._finder.companies(s, list(items.values()))
        )

    def _by_id(self, call: Call[Any], query: SignalQuery, ids: Sequence[int]) -> Deferred:
        numbers = {str(id): self._tokens.from_legacy(query.entity, id) for id in ids}
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
        query = read_query(
            entity, body, today(self._clock), names=body.signals, names_at="signals", include=include
        )
        _check_known(body.signals)
        return query._replace(
            types=tuple(type for type in query.types if type != types.POSTS),
            most=min(query.most, MOST_OF_A_TYPE) if query.most else None,
        )

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
        for type in query.types:
            if type in events or query.entity is Entity.CONTACT:
                rendered = (self._renderer.legacy_event(subject, event) for event in events.get(type, ()))
                parts.append(b'"%s":[%s]' % (type.encode(), b",".join(rendered)))
        if number in content.truncated:
            parts.append(b'"truncated":true')
        return b"{%s}" % b",".join(parts)


class _KeyedItem(Protocol):
    """Item of a search."""

    id: str


_Item = TypeVar("_Item", bound=_KeyedItem)


def _by_key(items: Sequence[_Item], path: str) -> dict[str, _Item]:
    """Return the items by the caller's key. Raises BadRequest if one key is used for different items."""
    found: dict[str, _Item] = {}
    for position, item in enumerate(items):
        if found.setdefault(item.id, item) != item:
            problem = f"{path}.{position}.id must not be the key of another item too"
            raise BadRequest(problem, [problem])
    return found


def _check_known(names: Sequence[str]) -> None:
    for position, name in enumerate(names):
        if name.casefold() == types.POSTS.casefold():
            problem = (
                f"signals.{position} must be a type of this generation;"
                f" ask /v3/companies/signals for {types.POSTS}"
            )
            raise BadRequest(problem, [problem])

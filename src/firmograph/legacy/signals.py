"""The legacy signals calls: other shapes over the service that answers the current generation (wire-b 2).

What one generation paid for is free in the other. The answer is a map: a record stands under the id that it was asked
by, on searches under the caller's own key, and what means no record has no entry.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from firmograph.api.endpoint import Call, Deferred
from firmograph.database.connection import Session
from firmograph.kit.clock import Clock, today
from firmograph.kit.errors import BadRequest
from firmograph.legacy import signal_shapes as shapes
from firmograph.legacy.identified import Identified
from firmograph.security.record_ids import Entity, Tokens
from firmograph.signals import types
from firmograph.signals.filters import MOST_OF_A_TYPE, Question, question
from firmograph.signals.render import Renderer
from firmograph.signals.service import Answered, Place, SignalsService

_NAMED: Final = {Entity.CONTACT: (b"contacts", b"personId"), Entity.COMPANY: (b"companies", b"companyId")}

_json = msgspec.json.Encoder().encode


class LegacySignals:
    """The four calls."""

    def __init__(
        self,
        service: SignalsService,
        renderer: Renderer,
        tokens: Tokens,
        identified: Identified,
        clock: Clock,
    ) -> None:
        self._service = service
        self._renderer = renderer
        self._tokens = tokens
        self._identified = identified
        self._clock = clock

    def contacts(self, call: Call[shapes.LegacyContactSignalsRequest]) -> Deferred:
        return self._by_id(call, self._question(Entity.CONTACT, call.body), call.body.contact_ids)

    def companies(self, call: Call[shapes.LegacyCompanySignalsRequest]) -> Deferred:
        asked = self._question(Entity.COMPANY, call.body, call.body.filters)
        return self._by_id(call, asked, call.body.company_ids)

    def contacts_search(self, call: Call[shapes.LegacyContactSignalsSearch]) -> Deferred:
        asked = self._question(Entity.CONTACT, call.body)
        items = _by_key(call.body.contacts, "contacts")
        return self._found(
            call, asked, list(items), lambda s: self._identified.contacts(s, list(items.values()))
        )

    def companies_search(self, call: Call[shapes.LegacyCompanySignalsSearch]) -> Deferred:
        asked = self._question(Entity.COMPANY, call.body, call.body.filters)
        items = _by_key(call.body.companies, "companies")
        return self._found(
            call, asked, list(items), lambda s: self._identified.companies(s, list(items.values()))
        )

    def _by_id(self, call: Call[Any], asked: Question, ids: Sequence[int]) -> Deferred:
        numbers = {str(id): self._tokens.from_legacy(asked.entity, id) for id in ids}
        return self._found(call, asked, list(numbers), lambda session: list(numbers.values()))

    def _found(
        self,
        call: Call[Any],
        asked: Question,
        keys: Sequence[str],
        find: Callable[[Session], Sequence[int | None]],
    ) -> Deferred:
        def resolve(session: Session) -> list[Place]:
            return [Place(number, None if number else "NOT_FOUND") for number in find(session)]

        return self._service.answer(
            call, asked, resolve, lambda answered: self._composed(asked, keys, answered)
        )

    def _question(
        self, entity: Entity, body: Any, filters: shapes.LegacyFilters | UnsetType = UNSET
    ) -> Question:
        """Raises BadRequest for what the current generation refuses, and for signals that this one does not know."""
        include = UNSET if filters is UNSET else filters.include
        asked = question(
            entity, body, today(self._clock), names=body.signals, names_at="signals", include=include
        )
        _check_known(body.signals)
        return asked._replace(
            types=tuple(type for type in asked.types if type != types.POSTS),
            most=min(asked.most, MOST_OF_A_TYPE) if asked.most else None,
        )

    # --- the answer ---

    def _composed(self, asked: Question, keys: Sequence[str], answered: Answered) -> bytes:
        records, _ = _NAMED[asked.entity]
        shown = (
            b"%s:%s" % (_json(key), self._record(asked, place.number, answered))
            for key, place in zip(keys, answered.places, strict=True)
            if place.number is not None
        )
        return b'{"%s":{%s},"startDate":"%s","endDate":"%s","creditCharged":%d}' % (
            records,
            b",".join(shown),
            answered.start.encode(),
            answered.end.encode(),
            answered.credits,
        )

    def _record(self, asked: Question, number: int, answered: Answered) -> bytes:
        subject = answered.subjects[number]
        _, id = _NAMED[asked.entity]
        parts = [b'"%s":"%d"' % (id, subject.legacy)]
        if asked.entity is Entity.COMPANY:
            parts.append(b'"companyName":%s,"domain":%s' % (subject.name, subject.domain))
        events = answered.events.get(number, {})
        for type in asked.types:
            if type in events or asked.entity is Entity.CONTACT:
                rendered = (self._renderer.legacy_event(subject, event) for event in events.get(type, ()))
                parts.append(b'"%s":[%s]' % (type.encode(), b",".join(rendered)))
        if number in answered.truncated:
            parts.append(b'"truncated":true')
        return b"{%s}" % b",".join(parts)


class _Keyed(Protocol):
    """An item of a search."""

    id: str


_Item = TypeVar("_Item", bound=_Keyed)


def _by_key(items: Sequence[_Item], path: str) -> dict[str, _Item]:
    """The items by the caller's key. Raises BadRequest where one key means two: only one of them could be shown."""
    found: dict[str, _Item] = {}
    for place, item in enumerate(items):
        if found.setdefault(item.id, item) != item:
            problem = f"{path}.{place}.id must not be the key of another item too"
            raise BadRequest(problem, [problem])
    return found


def _check_known(names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        if name.casefold() == types.POSTS.casefold():
            problem = f"signals.{place} must be a type of this generation; ask /v3/companies/signals for {types.POSTS}"
            raise BadRequest(problem, [problem])

"""Renderer of events: stored JSON completed with fields of the record and the signal.

See docs/reference/signals.md#events.

Shared by both generations of the calls and by webhooks, which differ only in job moves. Record numbers are replaced by
the V3 id in fields with opaque ids, and by the legacy number in fields with digits or integers. Company events are not
decoded, except posts, which name other records.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, UnsetType, structs

from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.stored_views import label_of
from firmograph.directory.vocabulary import DEPARTMENT_IDS
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.events import JobMove
from firmograph.signals.types import BY_LOCATION, NEWS_EVENTS, POSTS

MOST_CELL_EVENTS: Final = 50
"""Events of one type in a cell of a table, the newest; all that are shown are paid."""

_json = msgspec.json.Encoder().encode
_job_move = msgspec.json.Decoder(JobMove).decode
_object = msgspec.json.Decoder(dict[str, Any]).decode


class RenderableSignal(Protocol):
    """Signal attributes needed for rendering; a stored `Signal` has them."""

    @property
    def identity(self) -> bytes: ...

    @property
    def type(self) -> str: ...

    @property
    def day(self) -> str: ...

    @property
    def event(self) -> bytes: ...


class Subject(NamedTuple):
    """Record data that all its events show, prepared once."""

    token: bytes
    """V3 id."""
    legacy: int
    """Legacy number."""
    name: bytes = b'""'
    """JSON of a company's name, as of its domain; an empty string if absent."""
    domain: bytes = b'""'


class _Move(msgspec.Struct, rename="camel", omit_defaults=True):
    """Job move in either generation; the optional fields are only in V3."""

    person_id: str
    current_company_id: int
    current_company_name: str
    current_domain: str
    current_title: str
    current_departments: str
    current_seniority_label: str
    previous_company_name: str
    previous_domain: str
    signal_date: str
    id: str | UnsetType = UNSET
    previous_company: str | UnsetType = UNSET
    new_company: str | UnsetType = UNSET


class _Department(msgspec.Struct):
    id: int
    value: str


class _WebhookPromotion(msgspec.Struct, rename="camel", kw_only=True):
    """Promotion in webhook payloads (docs/reference/webhooks.md#payloads), in payload order."""

    person_id: int
    current_company_id: int
    current_company_name: str
    current_domain: str
    current_title: str
    current_departments: list[_Department]
    previous_company_name: str
    previous_domain: str
    signal_date: str


class _WebhookCompanyChange(_WebhookPromotion, rename="camel", kw_only=True):
    """Change of employer in webhook payloads."""

    previous_title: str
    current_seniority_label: str


_MoveView = Callable[[Subject, str, JobMove], msgspec.Struct]
"""Builds one of the structures above for a person, a day and a job move."""


class EventRenderer:
    """Renderer with the record ids of an installation."""

    def __init__(self, tokens: RecordIds) -> None:
        self._tokens = tokens
        self._legacy = tokens.legacy
        self._token = lru_cache(maxsize=65_536)(tokens.seal)

    def contact(self, number: int) -> Subject:
        return Subject(self._tokens.seal_bytes(Entity.CONTACT, number), self._legacy(Entity.CONTACT, number))

    def company(self, number: int, card: bytes) -> Subject:
        """Return the subject of a company. `card` is the inner JSON stored in `companies.card`."""
        label = label_of(card)
        return Subject(
            self._token(Entity.COMPANY, number).encode(),
            self._legacy(Entity.COMPANY, number),
            bytes(label.name),
            bytes(label.domain),
        )

    def event(self, subject: Subject, signal: RenderableSignal) -> bytes:
        """Render an event for V3."""
        return self._event(subject, signal, self._current_move)

    def cell(self, subject: Subject, events: Mapping[str, Sequence[RenderableSignal]]) -> bytes | None:
        """Render the newest events of each type, at most 50, as one object by type; None without events.

        `truncated` says that a type has more.
        """
        parts = [
            b'"%s":[%s]'
            % (type.encode(), b",".join([self.event(subject, one) for one in some[:MOST_CELL_EVENTS]]))
            for type, some in events.items()
            if some
        ]
        if any(len(some) > MOST_CELL_EVENTS for some in events.values()):
            parts.append(b'"truncated":true')
        return b"{%s}" % b",".join(parts) if parts else None

    def legacy_event(self, subject: Subject, signal: RenderableSignal) -> bytes:
        """Render an event for the legacy generation: job moves without `id`, `previousCompany` and `newCompany`."""
        return self._event(subject, signal, self._legacy_move)

    def webhook_event(self, subject: Subject, signal: RenderableSignal) -> bytes:
        """Render an event for webhooks: job moves with numeric ids, also of departments."""
        move = self._webhook_promotion if signal.type == "promotion" else self._webhook_company_change
        return self._event(subject, signal, move)

    def _event(self, subject: Subject, signal: RenderableSignal, move_view: _MoveView) -> bytes:
        type = signal.type
        if type in NEWS_EVENTS:
            return b'{"companyId":"%d","companyName":%s,"domain":%s,"signalId":"%s",%s' % (
                subject.legacy,
                subject.name,
                subject.domain,
                signal.identity.hex().encode(),
                signal.event[1:],
            )
        if type == POSTS:
            return self._post(subject, signal.event)
        if type in ("promotion", "companyChange"):
            return _json(move_view(subject, signal.day, _job_move(signal.event)))
        # a surge in a whole country has no `state`
        event = signal.event.replace(b',"state":null', b"") if type == BY_LOCATION else signal.event
        return b'{"companyId":"%d","signalId":"%s","signalDate":"%s",%s,"companyName":%s,"domain":%s}' % (
            subject.legacy,
            signal.identity.hex().encode(),
            signal.day.encode(),
            event[1:-1],
            subject.name,
            subject.domain,
        )

    def _legacy_move(self, subject: Subject, day: str, move: JobMove) -> _Move:
        return _Move(
            person_id=str(subject.legacy),
            current_company_id=self._legacy(Entity.COMPANY, move.current_company_id),
            current_company_name=move.current_company_name,
            current_domain=move.current_domain,
            current_title=move.current_title,
            current_departments=move.current_departments,
            current_seniority_label=move.current_seniority_label,
            previous_company_name=move.previous_company_name,
            previous_domain=move.previous_domain,
            signal_date=day,
        )

    def _current_move(self, subject: Subject, day: str, move: JobMove) -> _Move:
        view = self._legacy_move(subject, day, move)
        view.id = subject.token.decode()
        view.previous_company = move.previous_company_name
        view.new_company = move.current_company_name
        return view

    def _webhook_promotion(self, subject: Subject, day: str, move: JobMove) -> _WebhookPromotion:
        return _WebhookPromotion(
            person_id=subject.legacy,
            current_company_id=self._legacy(Entity.COMPANY, move.current_company_id),
            current_company_name=move.current_company_name,
            current_domain=move.current_domain,
            current_title=move.current_title,
            current_departments=_departments(move.current_departments),
            previous_company_name=move.previous_company_name,
            previous_domain=move.previous_domain,
            signal_date=day,
        )

    def _webhook_company_change(self, subject: Subject, day: str, move: JobMove) -> _WebhookCompanyChange:
        return _WebhookCompanyChange(
            **structs.asdict(self._webhook_promotion(subject, day, move)),
            previous_title=move.previous_title,
            current_seniority_label=move.current_seniority_label,
        )

    def _post(self, subject: Subject, event: bytes) -> bytes:
        post = _object(event)
        author = post["author"]
        if linkedin_slug(author["linkedinUrl"], "company", bare=False):
            # a post of a company page is a signal of that company
            author["id"] = subject.token.decode()
        else:
            self._seal(Entity.CONTACT, author)
        for person in post["contactsMentioned"]:
            self._seal(Entity.CONTACT, person)
        for company in post["companiesMentioned"]:
            self._seal(Entity.COMPANY, company)
        return b'{"companyId":%d,%s' % (subject.legacy, _json(post)[1:])

    def _seal(self, entity: Entity, reference: dict[str, Any]) -> None:
        """Replace the record number by the record id; null stays."""
        if reference["id"] is not None:
            reference["id"] = self._token(entity, reference["id"])


def _departments(joined: str) -> list[_Department]:
    """Return the departments of `JobMove.current_departments`."""
    return [_Department(DEPARTMENT_IDS[name], name) for name in joined.split(", ") if name]

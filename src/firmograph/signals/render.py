"""Signals as the bytes of their events: the stored JSON with what belongs to the record and the signal.

See docs/reference/signals.md#events.

One class for everyone who shows signals: both generations of the calls, and webhooks; they differ in job moves. Record
numbers inside are sealed: the V3 token where the wire has an opaque id, the legacy number where it has digits or an
integer. The event of a company is not decoded, unless it is a post, which names other records.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, UnsetType, structs

from firmograph.directory.normalise.linkedin import linkedin_slug
from firmograph.directory.vocabulary import DEPARTMENT_IDS
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.events import JobMove
from firmograph.signals.types import BY_LOCATION, NEWS_EVENTS, POSTS

_json = msgspec.json.Encoder().encode
_job_move = msgspec.json.Decoder(JobMove).decode
_object = msgspec.json.Decoder(dict[str, Any]).decode


class Shown(Protocol):
    """What of a signal its event is made from; a stored `Signal` has it."""

    @property
    def identity(self) -> bytes: ...

    @property
    def type(self) -> str: ...

    @property
    def day(self) -> str: ...

    @property
    def event(self) -> bytes: ...


class Subject(NamedTuple):
    """A record as its events name it, prepared once for all of them."""

    token: bytes
    """The V3 id, as it stands in JSON."""
    legacy: int
    """The legacy number."""
    name: bytes = b'""'
    """JSON of a company's name and domain; an empty text where it has none."""
    domain: bytes = b'""'


class _Card(msgspec.Struct):
    name: msgspec.Raw = msgspec.Raw(b'""')
    domain: msgspec.Raw = msgspec.Raw(b'""')


_card = msgspec.json.Decoder(_Card).decode


class _Move(msgspec.Struct, rename="camel", omit_defaults=True):
    """A job move as either generation shows it; the first three are V3's."""

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


class _ToldPromotion(msgspec.Struct, rename="camel", kw_only=True):
    """What webhooks tell of a promotion (docs/reference/webhooks.md#payloads), in its order."""

    person_id: int
    current_company_id: int
    current_company_name: str
    current_domain: str
    current_title: str
    current_departments: list[_Department]
    previous_company_name: str
    previous_domain: str
    signal_date: str


class _ToldChange(_ToldPromotion, rename="camel", kw_only=True):
    """What webhooks tell of a change of employer."""

    previous_title: str
    current_seniority_label: str


_ShowsMove = Callable[[Subject, str, JobMove], msgspec.Struct]
"""The job move of a person on a day, in one of the forms above."""


class Renderer:
    """Renders the events of one installation."""

    def __init__(self, tokens: RecordIds) -> None:
        self._tokens = tokens
        self._legacy = lru_cache(maxsize=65_536)(tokens.legacy)
        self._token = lru_cache(maxsize=65_536)(tokens.seal)

    def contact(self, number: int) -> Subject:
        return Subject(self._tokens.seal_bytes(Entity.CONTACT, number), self._legacy(Entity.CONTACT, number))

    def company(self, number: int, card: bytes) -> Subject:
        """`card` is the inside of its object, as `companies.card` holds it."""
        held = _card(b"{%s}" % card)
        return Subject(
            self._token(Entity.COMPANY, number).encode(),
            self._legacy(Entity.COMPANY, number),
            bytes(held.name),
            bytes(held.domain),
        )

    def event(self, subject: Subject, signal: Shown) -> bytes:
        """As the current generation shows it."""
        return self._event(subject, signal, self._current_move)

    def legacy_event(self, subject: Subject, signal: Shown) -> bytes:
        """As the legacy generation shows it: job moves without `id`, `previousCompany` and `newCompany`."""
        return self._event(subject, signal, self._legacy_move)

    def told_event(self, subject: Subject, signal: Shown) -> bytes:
        """As webhooks tell it: job moves with numbers for ids, departments too."""
        told = self._told_promotion if signal.type == "promotion" else self._told_change
        return self._event(subject, signal, told)

    def _event(self, subject: Subject, signal: Shown, show_move: _ShowsMove) -> bytes:
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
            return _json(show_move(subject, signal.day, _job_move(signal.event)))
        # row 4: a surge in a whole country has no state
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
        shown = self._legacy_move(subject, day, move)
        shown.id = subject.token.decode()
        shown.previous_company = move.previous_company_name
        shown.new_company = move.current_company_name
        return shown

    def _told_promotion(self, subject: Subject, day: str, move: JobMove) -> _ToldPromotion:
        return _ToldPromotion(
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

    def _told_change(self, subject: Subject, day: str, move: JobMove) -> _ToldChange:
        return _ToldChange(
            **structs.asdict(self._told_promotion(subject, day, move)),
            previous_title=move.previous_title,
            current_seniority_label=move.current_seniority_label,
        )

    def _post(self, subject: Subject, event: bytes) -> bytes:
        post = _object(event)
        author = post["author"]
        if linkedin_slug(author["linkedinUrl"], "company", bare=False):
            # what a page posts is a signal of its own company
            author["id"] = subject.token.decode()
        else:
            self._seal(Entity.CONTACT, author)
        for person in post["contactsMentioned"]:
            self._seal(Entity.CONTACT, person)
        for company in post["companiesMentioned"]:
            self._seal(Entity.COMPANY, company)
        return b'{"companyId":%d,%s' % (subject.legacy, _json(post)[1:])

    def _seal(self, entity: Entity, named: dict[str, Any]) -> None:
        """What a post names has its token for an id, or null where no record is held."""
        if named["id"] is not None:
            named["id"] = self._token(entity, named["id"])


def _departments(joined: str) -> list[_Department]:
    """Of names joined by `, `, as `JobMove` has them."""
    return [_Department(DEPARTMENT_IDS[name], name) for name in joined.split(", ") if name]

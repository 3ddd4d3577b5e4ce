"""Views of signals with their record and their event as in the API."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from firmograph.cli.signals.summary import summarise
from firmograph.database.connection import Session
from firmograph.directory.store import LookupContact, contacts_by_number
from firmograph.directory.stored_views import view_contact, view_summary
from firmograph.kit.clock import iso
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.event_renderer import EventRenderer, Subject
from firmograph.signals.store import company_summaries
from firmograph.signals.types import Signal

_object = msgspec.json.Decoder(dict[str, Any]).decode


class SignalView(msgspec.Struct, rename="camel", omit_defaults=True):
    """Signal as the commands show it; empty fields are omitted."""

    signal_id: str
    type: str
    signal_date: str
    detected_at: str
    entity: str
    """`contact` or `company`."""
    id: str
    """Record id in API responses."""
    summary: str
    event: msgspec.Raw
    """Event as in `POST /v3/.../signals` (docs/reference/signals.md#events)."""
    name: str = ""
    company_name: str = ""
    """Name of a contact's employer."""
    domain: str = ""


class _Record(msgspec.Struct):
    """Shown fields of a signal's record."""

    subject: Subject
    name: str
    company_name: str = ""
    domain: str = ""


class ViewFactory:
    """Factory of signal views for one installation."""

    def __init__(self, tokens: RecordIds) -> None:
        self._renderer = EventRenderer(tokens)

    def create(self, session: Session, signals: Sequence[Signal]) -> list[SignalView]:
        """Return the views of signals with an existing record, in two statements."""
        records = self._records(session, signals)
        return [
            self._view(signal, record)
            for signal in signals
            if (record := records.get((signal.entity, signal.number)))
        ]

    def _records(self, session: Session, signals: Iterable[Signal]) -> dict[tuple[int, int], _Record]:
        keys = {(signal.entity, signal.number) for signal in signals}
        people = [number for entity, number in keys if entity == Entity.CONTACT]
        companies = [number for entity, number in keys if entity == Entity.COMPANY]
        found: dict[tuple[int, int], _Record] = {}
        for contact in contacts_by_number(session, people).values():
            found[Entity.CONTACT, contact.number] = self._contact(contact)
        for number, stored_summary in company_summaries(session, companies):
            found[Entity.COMPANY, number] = self._company(number, stored_summary)
        return found

    def _contact(self, found: LookupContact) -> _Record:
        person = view_contact(found.preview)
        name = " ".join(filter(None, (person.first_name, person.last_name)))
        employer = view_summary(found.company_summary or b"")
        return _Record(self._renderer.contact(found.number), name, employer.name, employer.domain or "")

    def _company(self, number: int, stored_summary: bytes) -> _Record:
        company = view_summary(stored_summary)
        return _Record(
            self._renderer.company(number, stored_summary), company.name, domain=company.domain or ""
        )

    def _view(self, signal: Signal, record: _Record) -> SignalView:
        return SignalView(
            signal_id=signal.identity.hex(),
            type=signal.type,
            signal_date=signal.day,
            detected_at=iso(signal.detected_at),
            entity=Entity(signal.entity).name.lower(),
            id=record.subject.token.decode(),
            summary=summarise(signal.type, _object(signal.event)),
            event=msgspec.Raw(self._renderer.event(record.subject, signal)),
            name=record.name,
            company_name=record.company_name,
            domain=record.domain,
        )

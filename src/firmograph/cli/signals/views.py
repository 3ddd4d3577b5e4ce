"""Signals as they are printed: with the record that they are about, and their event as the API has it."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from firmograph.cli.signals.summary import summary
from firmograph.database.connection import Session
from firmograph.directory.store import LookupContact, contacts_by_number
from firmograph.kit.clock import iso
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.event_renderer import EventRenderer, Subject
from firmograph.signals.store import Signal, company_summaries

_object = msgspec.json.Decoder(dict[str, Any]).decode


class SignalView(msgspec.Struct, rename="camel", omit_defaults=True):
    """Null and empty fields are left out."""

    signal_id: str
    type: str
    signal_date: str
    detected_at: str
    entity: str
    """`contact` or `company`."""
    id: str
    """The record's token."""
    summary: str
    event: msgspec.Raw
    """As `POST /v3/.../signals` answers it (docs/reference/signals.md#events)."""
    name: str = ""
    company_name: str = ""
    """Of a contact's employer."""
    domain: str = ""


class _Record(msgspec.Struct):
    """What is told of the record that a signal is about."""

    subject: Subject
    name: str
    company_name: str = ""
    domain: str = ""


class ViewFactory:
    """Shows the signals of one installation."""

    def __init__(self, tokens: RecordIds) -> None:
        self._renderer = EventRenderer(tokens)

    def shown(self, session: Session, signals: Sequence[Signal]) -> list[SignalView]:
        """Those whose record is held. Two statements."""
        records = self._records(session, signals)
        return [
            self._one(signal, record)
            for signal in signals
            if (record := records.get((signal.entity, signal.number)))
        ]

    def _records(self, session: Session, signals: Iterable[Signal]) -> dict[tuple[int, int], _Record]:
        places = {(signal.entity, signal.number) for signal in signals}
        people = [number for entity, number in places if entity == Entity.CONTACT]
        companies = [number for entity, number in places if entity == Entity.COMPANY]
        found: dict[tuple[int, int], _Record] = {}
        for contact in contacts_by_number(session, people).values():
            found[Entity.CONTACT, contact.number] = self._contact(contact)
        for number, card in company_summaries(session, companies):
            found[Entity.COMPANY, number] = self._company(number, card)
        return found

    def _contact(self, found: LookupContact) -> _Record:
        preview = _object(found.preview)
        name = " ".join(preview[part] for part in ("firstName", "lastName") if preview.get(part))
        employer = _object(b"{%s}" % found.company_summary) if found.company_summary else {}
        return _Record(
            self._renderer.contact(found.number), name, employer.get("name", ""), employer.get("domain", "")
        )

    def _company(self, number: int, card: bytes) -> _Record:
        held = _object(b"{%s}" % card)
        return _Record(
            self._renderer.company(number, card), held.get("name", ""), domain=held.get("domain", "")
        )

    def _one(self, signal: Signal, record: _Record) -> SignalView:
        return SignalView(
            signal_id=signal.identity.hex(),
            type=signal.type,
            signal_date=signal.day,
            detected_at=iso(signal.detected_at),
            entity=Entity(signal.entity).name.lower(),
            id=record.subject.token.decode(),
            summary=summary(signal.type, _object(signal.event)),
            event=msgspec.Raw(self._renderer.event(record.subject, signal)),
            name=record.name,
            company_name=record.company_name,
            domain=record.domain,
        )

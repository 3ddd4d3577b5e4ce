"""Companies of a legacy call, as a reveal returns them (docs/reference/legacy.md#companies)."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, UnsetType

from firmograph.database.connection import Session
from firmograph.directory import store
from firmograph.directory.data_points import COMPANY_BASE
from firmograph.directory.result_slots import ResultSlot
from firmograph.directory.store import CompanyProfile
from firmograph.enrichment.companies import CompanyRecords
from firmograph.enrichment.reveal import RequestedSignals, RevealBatch
from firmograph.legacy.records.companies import INTENT, CompanyBuilder, stored_intent
from firmograph.legacy.signal_arrays import SignalArrays
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.event_renderer import EventRenderer

_json = msgspec.json.Encoder().encode


class _Location(msgspec.Struct, frozen=True):
    coordinates: Raw | UnsetType = UNSET


class _Extras(msgspec.Struct):
    location: _Location = _Location()


_decode_extras = msgspec.json.Decoder(_Extras).decode
BASE: Final = frozenset({COMPANY_BASE})
"""What legacy calls reveal of a company."""


class CompanyRenderer:
    """Renderer of revealed companies with the ids of an installation."""

    def __init__(self, record_ids: RecordIds, events: EventRenderer) -> None:
        self._record_ids = record_ids
        self._events = events

    def company_id(self, number: int) -> int:
        return self._record_ids.legacy(Entity.COMPANY, number)

    def open(
        self, content: RevealBatch[CompanyProfile], signals: RequestedSignals[CompanyProfile] | None
    ) -> "RevealedCompanies":
        return RevealedCompanies(self, content, SignalArrays(self._events, signals, content))


class RevealedCompanies:
    """Companies of one answer; each is None in a slot where none was found."""

    def __init__(
        self, renderer: CompanyRenderer, content: RevealBatch[CompanyProfile], arrays: SignalArrays
    ) -> None:
        self._renderer = renderer
        self._content = content
        self._arrays = arrays
        self._kind = CompanyRecords()

    def single(self, slot: ResultSlot) -> bytes | None:
        record = self._record(slot)
        if record is None:
            return None
        return self._add_signals(
            record, self._stored(record).single(self._renderer.company_id(record.number))
        )

    def in_batch(self, slot: ResultSlot, key: str) -> bytes | None:
        record = self._record(slot)
        if record is None:
            return None
        id = self._renderer.company_id(record.number)
        return self._add_signals(record, self._stored(record).in_batch(key, id))

    def prospected(self, slot: ResultSlot, coordinates: Mapping[int, Raw]) -> bytes | None:
        """Return a company of a search. `coordinates` are stored ones, by number."""
        record = self._record(slot)
        if record is None:
            return None
        id = str(self._renderer.company_id(record.number))
        company = self._stored(record).prospected(id, coordinates.get(record.number, UNSET))
        return self._add_signals(record, company)

    def _record(self, slot: ResultSlot) -> CompanyProfile | None:
        return None if slot.number is None else self._content.records.get(slot.number)

    def _stored(self, record: CompanyProfile) -> CompanyBuilder:
        paid = self._content.paid
        # a repeated call may find what nobody has paid for
        is_paid = all((record.number, unit) in paid for unit in self._kind.units(record, BASE))
        intent = stored_intent(record) if (record.number, INTENT) in paid else None
        return CompanyBuilder(record.profile if is_paid else record.preview, intent)

    def _add_signals(self, record: CompanyProfile, company: Any) -> bytes:
        return self._arrays.add(record.number, _json(company))


def find_coordinates(session: Session, content: RevealBatch[CompanyProfile]) -> dict[int, Raw]:
    """Return longitude and latitude of the headquarters that have them, as stored. One statement."""
    if not content.records:
        return {}
    found = {}
    for number, extras in store.company_extras(session, content.records).items():
        if extras and (number, COMPANY_BASE) in content.paid:
            coordinates = _decode_extras(extras).location.coordinates
            if coordinates is not UNSET:
                found[number] = coordinates
    return found

"""Legacy enrich of the results of a search, as reveals by id (docs/reference/legacy.md#enrich)."""

import msgspec

from firmograph.api.endpoint import Call, ChargedResponse, Deferred
from firmograph.database.connection import Session
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.result_slots import ResultSlot
from firmograph.directory.store import CompanyProfile, EmployedContact
from firmograph.enrichment.company_records import CompanyRecords
from firmograph.enrichment.reveal import RevealBatch, Revealer, RevealRequest
from firmograph.legacy.prospecting.enrich_shapes import (
    LegacyCompanyEnrichRequest,
    LegacyContactEnrichRequest,
)
from firmograph.legacy.requested_signals import GivenSignals, requested_company_signals
from firmograph.legacy.revealed_companies import BASE, CompanyRenderer, find_coordinates
from firmograph.legacy.revealed_people import AskedContacts, PersonRenderer, PersonView, requested_units
from firmograph.security.record_ids import Entity

_json = msgspec.json.Encoder().encode


class LegacyEnrichment:
    """The two calls."""

    def __init__(
        self,
        lookup: RecordLookup,
        revealer: Revealer,
        people: PersonRenderer,
        companies: CompanyRenderer,
    ) -> None:
        self._lookup = lookup
        self._revealer = revealer
        self._people = people
        self._companies = companies

    def contacts(self, call: Call[LegacyContactEnrichRequest]) -> ChargedResponse | Deferred:
        body = call.body
        kind = AskedContacts(self._lookup, requested_units(call.account, body, body.metadata))
        ids = [str(id) for id in body.contact_ids]
        slots = self._slots(Entity.CONTACT, ids)

        def render(
            session: Session, content: RevealBatch[EmployedContact], request_id: str, credits: int
        ) -> bytes:
            people = self._people.open(session, call.account, content, kind)
            views = [people.prospected(slot) for slot in content.slots]
            items = [_item(id, view) for id, view in zip(ids, views, strict=True)]
            returned = sum(view.error is None for view in views)
            return _render(b"contacts", body.request_id, items, credits, returned)

        request = RevealRequest(call, kind.asked, render)
        return self._revealer.answer(request, kind, lambda session: slots)

    def companies(self, call: Call[LegacyCompanyEnrichRequest]) -> ChargedResponse | Deferred:
        body = call.body
        slots = self._slots(Entity.COMPANY, [str(id) for id in body.companies_ids])
        given = GivenSignals(
            [("signals", body.signals)],
            [("signalsStartDate", body.signals_start_date)],
            body.signals_filters,
        )
        signals = requested_company_signals(call, given)

        def render(
            session: Session, content: RevealBatch[CompanyProfile], request_id: str, credits: int
        ) -> bytes:
            companies = self._companies.open(content, signals)
            coordinates = find_coordinates(session, content)
            found = [companies.prospected(slot, coordinates) for slot in content.slots]
            items = [one for one in found if one is not None]
            return _render(b"companies", body.request_id, items, credits, len(items))

        request = RevealRequest(call, BASE, render, signals=signals)
        return self._revealer.answer(request, CompanyRecords(), lambda session: slots)

    def _slots(self, entity: Entity, ids: list[str]) -> list[ResultSlot]:
        return [ResultSlot(self._lookup.queries.number_of_any(entity, id)) for id in ids]


def _item(id: str, view: PersonView) -> bytes:
    error = b'"error":%s,' % _json(view.error) if view.error is not None else b""
    success = b"true" if view.error is None else b"false"
    return b'{"id":%s,"isSuccess":%s,%s"data":%s}' % (_json(id), success, error, view.data or b"null")


def _render(name: bytes, request_id: str, items: list[bytes], credits: int, returned: int) -> bytes:
    return (
        b'{"requestId":"%s","%s":[%s],"creditsCharged":%d,"billing":{"creditsCharged":%d,"resultsReturned":%d}}'
    ) % (request_id.encode(), name, b",".join(items), credits, credits, returned)

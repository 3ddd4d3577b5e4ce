"""Legacy enrich of the results of a search, as reveals by id (docs/reference/legacy.md#enrich)."""

from typing import NamedTuple

import msgspec

from firmograph.billing.charged_call import ChargedCall
from firmograph.caller import Request
from firmograph.database.connection import Session
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.result_slots import ResultSlot
from firmograph.directory.store import CompanyProfile, EmployedContact
from firmograph.enrichment.companies import CompanyRecords
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


class EnrichedItems(NamedTuple):
    """Content of an answer."""

    items: list[bytes]
    returned: int


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

    def contacts(self, request: Request, body: LegacyContactEnrichRequest) -> ChargedCall[EnrichedItems]:
        kind = AskedContacts(self._lookup, requested_units(request.caller, body, body.metadata))
        ids = [str(id) for id in body.contact_ids]
        slots = self._slots(Entity.CONTACT, ids)

        def show(session: Session, batch: RevealBatch[EmployedContact]) -> EnrichedItems:
            people = self._people.open(session, request.caller, batch, kind)
            views = [people.prospected(slot) for slot in batch.slots]
            items = [_item(id, view) for id, view in zip(ids, views, strict=True)]
            return EnrichedItems(items, sum(view.error is None for view in views))

        return self._revealer.ready(RevealRequest(request, kind.asked, show), kind, lambda session: slots)

    def companies(self, request: Request, body: LegacyCompanyEnrichRequest) -> ChargedCall[EnrichedItems]:
        slots = self._slots(Entity.COMPANY, [str(id) for id in body.companies_ids])
        given = GivenSignals(
            [("signals", body.signals)],
            [("signalsStartDate", body.signals_start_date)],
            body.signals_filters,
        )
        signals = requested_company_signals(request, given)

        def show(session: Session, batch: RevealBatch[CompanyProfile]) -> EnrichedItems:
            companies = self._companies.open(batch, signals)
            coordinates = find_coordinates(session, batch)
            found = [companies.prospected(slot, coordinates) for slot in batch.slots]
            items = [one for one in found if one is not None]
            return EnrichedItems(items, len(items))

        asked = RevealRequest(request, BASE, show, signals=signals)
        return self._revealer.ready(asked, CompanyRecords(), lambda session: slots)

    def _slots(self, entity: Entity, ids: list[str]) -> list[ResultSlot]:
        return [ResultSlot(self._lookup.queries.number_of_any(entity, id)) for id in ids]


def _item(id: str, view: PersonView) -> bytes:
    error = b'"error":%s,' % _json(view.error) if view.error is not None else b""
    success = b"true" if view.error is None else b"false"
    return b'{"id":%s,"isSuccess":%s,%s"data":%s}' % (_json(id), success, error, view.data or b"null")

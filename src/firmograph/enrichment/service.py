"""Factory of the enrichment services."""

from typing import NamedTuple

from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.paid_units import PaidUnits
from firmograph.database.connection import Database
from firmograph.directory.lookup.queries import CompanyQuery, ContactQuery
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.directory.store import CompanyProfile, ContactProfile, LookupCompany, LookupContact
from firmograph.enrichment.calls import EnrichmentCalls
from firmograph.enrichment.companies import EnrichedCompanies
from firmograph.enrichment.contacts import EnrichedContacts
from firmograph.enrichment.record_renderer import RecordRenderer
from firmograph.enrichment.reveal import Revealer
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals.service import SignalsService

ContactCalls = EnrichmentCalls[ContactQuery, LookupContact, ContactProfile]
CompanyCalls = EnrichmentCalls[CompanyQuery, LookupCompany, CompanyProfile]


class Enrichment(NamedTuple):
    contacts: ContactCalls
    companies: CompanyCalls
    revealer: Revealer

    def of(self, entity: Entity) -> ContactCalls | CompanyCalls:
        return self.contacts if entity is Entity.CONTACT else self.companies


def build_enrichment(
    database: Database,
    tokens: RecordIds,
    lookup: RecordLookup,
    paid_units: PaidUnits,
    charged_calls: ChargedCalls,
    signals: SignalsService,
) -> Enrichment:
    revealer = Revealer(database, paid_units, charged_calls, signals)
    renderer = RecordRenderer(tokens, paid_units)
    contacts, companies = EnrichedContacts(lookup, renderer), EnrichedCompanies(lookup, renderer)
    return Enrichment(
        EnrichmentCalls(database, lookup.queries, paid_units, revealer, contacts),
        EnrichmentCalls(database, lookup.queries, paid_units, revealer, companies),
        revealer,
    )

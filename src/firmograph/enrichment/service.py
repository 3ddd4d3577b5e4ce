"""Factory of the enrichment services."""

from typing import NamedTuple

from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.paid_units import PaidUnits
from firmograph.database.connection import Database
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.enrichment.companies import CompanyEnrichment
from firmograph.enrichment.contacts import ContactEnrichment
from firmograph.enrichment.dependencies import Dependencies
from firmograph.enrichment.record_renderer import RecordRenderer
from firmograph.enrichment.reveal import Revealer
from firmograph.security.record_ids import RecordIds
from firmograph.signals.service import SignalsService


class Enrichment(NamedTuple):
    contacts: ContactEnrichment
    companies: CompanyEnrichment
    revealer: Revealer


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
    dependencies = Dependencies(database, lookup, renderer, paid_units, revealer)
    return Enrichment(ContactEnrichment(dependencies), CompanyEnrichment(dependencies), revealer)

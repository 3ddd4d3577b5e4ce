"""Factory of the enrichment services."""

from typing import NamedTuple

from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.paid_units import PaidUnits
from firmograph.database.connection import Database
from firmograph.directory.identity import Digests
from firmograph.enrichment.companies import CompanyEnrichment
from firmograph.enrichment.contacts import ContactEnrichment
from firmograph.enrichment.dependencies import Dependencies
from firmograph.enrichment.identifiers import QueryReader
from firmograph.enrichment.lookup import Lookup
from firmograph.enrichment.record_renderer import RecordRenderer
from firmograph.enrichment.reveal import Revealer
from firmograph.security.record_ids import RecordIds
from firmograph.settings import Settings


class Enrichment(NamedTuple):
    contacts: ContactEnrichment
    companies: CompanyEnrichment
    query_reader: QueryReader
    """Shared with other features that look up records."""
    lookup: Lookup


def build_enrichment(
    database: Database,
    tokens: RecordIds,
    digests: Digests,
    paid_units: PaidUnits,
    charged_calls: ChargedCalls,
    settings: Settings,
) -> Enrichment:
    dependencies = Dependencies(
        database,
        QueryReader(tokens, digests),
        Lookup(digests, settings.match_threshold, settings.match_margin),
        RecordRenderer(tokens, paid_units),
        paid_units,
        Revealer(database, paid_units, charged_calls),
    )
    return Enrichment(
        ContactEnrichment(dependencies),
        CompanyEnrichment(dependencies),
        dependencies.query_reader,
        dependencies.lookup,
    )

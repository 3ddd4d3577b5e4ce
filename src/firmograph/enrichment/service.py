"""Search, enrich, and search-and-enrich, put together from their parts."""

from typing import NamedTuple

from firmograph.billing.idempotency import Idempotency
from firmograph.billing.paid_units import PaidUnits
from firmograph.database.connection import Database
from firmograph.directory.identity import Digests
from firmograph.enrichment.companies import CompanyEnrichment
from firmograph.enrichment.contacts import ContactEnrichment
from firmograph.enrichment.dependencies import Parts
from firmograph.enrichment.identify import Identifier
from firmograph.enrichment.lookup import Lookup
from firmograph.enrichment.render import Renderer
from firmograph.enrichment.reveal import Reveal
from firmograph.security.record_ids import RecordIds
from firmograph.settings import Settings


class Enrichment(NamedTuple):
    contacts: ContactEnrichment
    companies: CompanyEnrichment
    identifier: Identifier
    """Reads the identifiers of items, for capabilities that look records up as search does."""
    lookup: Lookup


def enrichment(
    database: Database,
    tokens: RecordIds,
    digests: Digests,
    purchases: PaidUnits,
    idempotency: Idempotency,
    settings: Settings,
) -> Enrichment:
    parts = Parts(
        database,
        Identifier(tokens, digests),
        Lookup(digests, settings.match_threshold, settings.match_margin),
        Renderer(tokens, purchases),
        purchases,
        Reveal(database, purchases, idempotency),
    )
    return Enrichment(ContactEnrichment(parts), CompanyEnrichment(parts), parts.identifier, parts.lookup)

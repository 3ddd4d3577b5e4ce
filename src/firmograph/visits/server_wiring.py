"""Query of website visits, and its endpoint."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.enrichment.service import Enrichment
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.visits.owner_companies import OwnerCompanies
from firmograph.visits.routes import routes
from firmograph.visits.score import BandLimits
from firmograph.visits.search import WebsiteVisits
from firmograph.visits.session_blocks import SessionBlocks


def _visits(installation: Installation) -> WebsiteVisits:
    settings = installation.settings
    companies = OwnerCompanies(
        installation.get(RecordLookup),
        installation.digests,
        settings.visit_confidence,
        settings.visit_cache_bytes,
    )
    return WebsiteVisits(
        installation.database,
        SessionBlocks(settings.visit_cache_bytes),
        companies,
        installation.get(Enrichment).companies.previews,
        BandLimits(settings.visit_warm_score, settings.visit_hot_score),
    )


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return routes(installation.get(WebsiteVisits))


SERVICES: Final[Services] = {WebsiteVisits: _visits}
SERVER: Final = ServerWiring(endpoints=_endpoints)

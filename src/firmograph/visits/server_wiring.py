"""Parts of a server for website visits: their query, the collector with its script and metrics."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.api.metrics import Metrics
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.enrichment.service import Enrichment
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.kit.lifespans import saving_regularly
from firmograph.visits import routes
from firmograph.visits.collector import routes as collector_routes
from firmograph.visits.collector.metrics import CollectorMetrics
from firmograph.visits.collector.service import SAVE_SECONDS, Collector
from firmograph.visits.owner_companies import OwnerCompanies
from firmograph.visits.recognition import VisitorRecognition
from firmograph.visits.score import BandLimits
from firmograph.visits.search import WebsiteVisits
from firmograph.visits.service import PageViews
from firmograph.visits.session_blocks import SessionBlocks
from firmograph.visits.sites import Sites
from firmograph.visits.unnamed import UnnamedPageViews


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


def _collector(installation: Installation) -> Collector:
    return Collector(
        installation.get(Sites),
        installation.get(VisitorRecognition),
        installation.get(PageViews),
        CollectorMetrics(installation.get(Metrics)),
        installation.get(UnnamedPageViews),
    )


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return [
        *routes.routes(installation.get(WebsiteVisits)),
        *collector_routes.routes(installation.get(Collector)),
    ]


def _lifespans(installation: Installation) -> Sequence[AbstractAsyncContextManager[None]]:
    return [saving_regularly("page views", SAVE_SECONDS, installation.get(Collector).save)]


SERVICES: Final[Services] = {WebsiteVisits: _visits, Collector: _collector}
"""Services of a server by class."""
SERVER: Final = ServerWiring(endpoints=_endpoints, lifespans=_lifespans)

"""What a server needs of website visits: the collector with its script, endpoints and metrics."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.api.metrics import Metrics
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.kit.lifespans import saving_regularly
from firmograph.visits.collector.metrics import CollectorMetrics
from firmograph.visits.collector.routes import routes
from firmograph.visits.collector.service import SAVE_SECONDS, Collector
from firmograph.visits.recognition import VisitorRecognition
from firmograph.visits.service import PageViews
from firmograph.visits.sites import Sites


def _collector(installation: Installation) -> Collector:
    return Collector(
        installation.get(Sites),
        installation.get(VisitorRecognition),
        installation.get(PageViews),
        CollectorMetrics(installation.get(Metrics)),
    )


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return routes(installation.get(Collector))


def _lifespans(installation: Installation) -> Sequence[AbstractAsyncContextManager[None]]:
    return [saving_regularly("page views", SAVE_SECONDS, installation.get(Collector).save)]


SERVICES: Final[Services] = {Collector: _collector}
"""Services of a server by class."""
SERVER: Final = ServerWiring(endpoints=_endpoints, lifespans=_lifespans)

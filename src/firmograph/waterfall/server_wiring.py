"""Parts of a server for the data waterfall: the endpoint of jobs and the metrics."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.installation import Installation, ServerWiring
from firmograph.waterfall.asks.metrics import AskMetrics
from firmograph.waterfall.jobs import Jobs
from firmograph.waterfall.routes import routes


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return routes(installation.get(Jobs))


def _metrics(installation: Installation) -> None:
    installation.get(AskMetrics)


SERVER: Final = ServerWiring(endpoints=_endpoints, metrics=_metrics)

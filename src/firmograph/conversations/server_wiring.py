"""Parts of a server for conversations: the endpoints and the metrics."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.conversations.analysis.metrics import AnalysisMetrics
from firmograph.conversations.routes import routes
from firmograph.conversations.service import Conversations
from firmograph.installation import Installation, ServerWiring


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return routes(installation.get(Conversations))


def _metrics(installation: Installation) -> None:
    installation.get(AnalysisMetrics)


SERVER: Final = ServerWiring(endpoints=_endpoints, metrics=_metrics)

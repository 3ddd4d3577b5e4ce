"""Endpoints of enrichment."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.enrichment.routes import routes
from firmograph.enrichment.service import Enrichment
from firmograph.enrichment.waterfall import Waterfall
from firmograph.installation import Installation, ServerWiring
from firmograph.table_rows import RowWriter


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    enrichment = installation.get(Enrichment)
    return routes(
        enrichment.contacts, enrichment.companies, installation.get(RowWriter), installation.get(Waterfall)
    )


SERVER: Final = ServerWiring(endpoints=_endpoints)

"""Endpoints of buying groups."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.buying_groups.routes import routes
from firmograph.buying_groups.service import BuyingGroups
from firmograph.installation import Installation, ServerWiring


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return routes(installation.get(BuyingGroups))


SERVER: Final = ServerWiring(endpoints=_endpoints)

"""Parts of a server for prospecting: the discovery of filter values, the endpoints and the index."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.docs_and_health import HealthPart
from firmograph.api.endpoint import Endpoint
from firmograph.installation import Installation, RegisteredIndex, ServerWiring, Services
from firmograph.prospecting.answers import SearchHealth
from firmograph.prospecting.current_search import CurrentSearch
from firmograph.prospecting.discovery.service import Discovery
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.prospecting.routes import routes
from firmograph.table_rows import RowWriter


def _discovery(installation: Installation) -> Discovery:
    return Discovery(installation.database, installation.get(ServedSearch).active, installation.record_ids)


def _indexes(installation: Installation) -> Sequence[RegisteredIndex]:
    search = installation.get(ServedSearch)
    return [RegisteredIndex("search", search.active, search.following)]


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return routes(installation.get(CurrentSearch), installation.get(Discovery), installation.get(RowWriter))


def _health(installation: Installation) -> HealthPart:
    index = installation.get(ServedSearch).active
    return HealthPart(
        "search",
        SearchHealth,
        lambda: SearchHealth(index.state, index.applied, index.head),
        "`search` is the state of the search index: how many of the imported changes are searchable.",
    )


SERVICES: Final[Services] = {Discovery: _discovery}
SERVER: Final = ServerWiring(endpoints=_endpoints, health=_health, indexes=_indexes)

"""Parts of a server for lookalikes: the index and the endpoints."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.docs_and_health import HealthPart
from firmograph.api.endpoint import Endpoint
from firmograph.installation import Installation, RegisteredIndex, ServerWiring
from firmograph.lookalikes.answers import ResultReader, SimilarityHealth
from firmograph.lookalikes.current_lookalikes import CurrentLookalikes, make_kinds
from firmograph.lookalikes.index.factory import ServedSimilarity
from firmograph.lookalikes.routes import routes
from firmograph.lookalikes.seeds import SeedReaders
from firmograph.lookalikes.service import Lookalikes
from firmograph.lookalikes.wiring import active_similarity
from firmograph.table_rows import RowWriter


def _indexes(installation: Installation) -> Sequence[RegisteredIndex]:
    if not installation.settings.lookalikes:
        return []
    similarity = installation.get(ServedSimilarity)
    return [RegisteredIndex("similarity", similarity.active, [similarity.local])]


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    kinds = make_kinds(installation.get(SeedReaders), ResultReader(installation.record_ids))
    service = CurrentLookalikes(installation.get(Lookalikes), kinds)
    return routes(service, installation.get(RowWriter), enabled=installation.settings.lookalikes)


def _health(installation: Installation) -> HealthPart:
    enabled, index = installation.settings.lookalikes, active_similarity(installation)
    return HealthPart(
        "similarity",
        SimilarityHealth,
        lambda: SimilarityHealth(index.state if enabled else "off", index.applied, index.head),
        "`similarity` is the state of the index of lookalikes: how many of the imported changes it contains.",
    )


SERVER: Final = ServerWiring(endpoints=_endpoints, health=_health, indexes=_indexes)

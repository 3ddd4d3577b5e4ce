"""What a server needs of lookalikes: the index, the endpoints and their services."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.docs_and_health import HealthPart
from firmograph.api.endpoint import Endpoint
from firmograph.billing.charged_call import ChargedCalls
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.indexing.active_index import ActiveIndex
from firmograph.installation import Installation, RegisteredIndex, ServerWiring, Services
from firmograph.lookalikes.answers import ResultReader, SimilarityHealth
from firmograph.lookalikes.current_lookalikes import CurrentLookalikes, make_kinds
from firmograph.lookalikes.index.factory import ServedSimilarity, serve_similarity
from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.lookalikes.routes import routes
from firmograph.lookalikes.seeds import CompanySeedReader, ContactSeedReader
from firmograph.lookalikes.service import Lookalikes
from firmograph.table_rows import RowWriter


def _similarity(installation: Installation) -> ServedSimilarity:
    return serve_similarity(installation.database, installation.clock, installation.settings.search_folder)


def _active(installation: Installation) -> ActiveIndex[SimilarityIndex]:
    """Return the index in service; none ever is where lookalikes are switched off."""
    if not installation.settings.lookalikes:
        return ActiveIndex()
    return installation.get(ServedSimilarity).active


def _indexes(installation: Installation) -> Sequence[RegisteredIndex]:
    if not installation.settings.lookalikes:
        return []
    similarity = installation.get(ServedSimilarity)
    return [RegisteredIndex("similarity", similarity.active, [similarity.local])]


def _lookalikes(installation: Installation) -> Lookalikes:
    return Lookalikes(
        installation.database,
        installation.clock,
        installation.get(ChargedCalls),
        _active(installation),
    )


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    record_ids, digests = installation.record_ids, installation.digests
    kinds = make_kinds(
        ContactSeedReader(record_ids, digests, installation.get(RecordLookup)),
        CompanySeedReader(record_ids, digests),
        ResultReader(record_ids),
    )
    service = CurrentLookalikes(installation.get(Lookalikes), kinds)
    return routes(service, installation.get(RowWriter), enabled=installation.settings.lookalikes)


def _health(installation: Installation) -> HealthPart:
    enabled, index = installation.settings.lookalikes, _active(installation)
    return HealthPart(
        "similarity",
        SimilarityHealth,
        lambda: SimilarityHealth(index.state if enabled else "off", index.applied, index.head),
        "`similarity` is the state of the index of lookalikes: how many of the imported changes it contains.",
    )


SERVICES: Final[Services] = {ServedSimilarity: _similarity, Lookalikes: _lookalikes}
SERVER: Final = ServerWiring(endpoints=_endpoints, health=_health, indexes=_indexes)

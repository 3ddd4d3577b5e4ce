"""Services of lookalikes."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.directory.lookup.record_lookup import RecordLookup
from firmograph.indexing.active_index import ActiveIndex
from firmograph.installation import Installation, Services
from firmograph.lookalikes.index.factory import ServedSimilarity, serve_similarity
from firmograph.lookalikes.index.similarity_index import SimilarityIndex
from firmograph.lookalikes.seeds import CompanySeedReader, ContactSeedReader, SeedReaders
from firmograph.lookalikes.service import Lookalikes


def active_similarity(installation: Installation) -> ActiveIndex[SimilarityIndex]:
    """Return the index in service; none ever is where lookalikes are switched off."""
    if not installation.settings.lookalikes:
        return ActiveIndex()
    return installation.get(ServedSimilarity).active


def _similarity(installation: Installation) -> ServedSimilarity:
    return serve_similarity(installation.database, installation.clock, installation.settings.search_folder)


def _seeds(installation: Installation) -> SeedReaders:
    record_ids, digests = installation.record_ids, installation.digests
    return SeedReaders(
        ContactSeedReader(record_ids, digests, installation.get(RecordLookup)),
        CompanySeedReader(record_ids, digests),
    )


def _lookalikes(installation: Installation) -> Lookalikes:
    return Lookalikes(
        installation.database,
        installation.clock,
        installation.get(ChargedCalls),
        active_similarity(installation),
    )


SERVICES: Final[Services] = {
    ServedSimilarity: _similarity,
    SeedReaders: _seeds,
    Lookalikes: _lookalikes,
}

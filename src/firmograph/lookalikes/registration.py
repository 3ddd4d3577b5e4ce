"""Registration of lookalikes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from firmograph.caller import Price
from firmograph.installation import BackgroundWork, Installation, RegisteredIndex, Registration

if TYPE_CHECKING:
    from firmograph.api.docs_and_health import HealthPart
    from firmograph.api.endpoint import Endpoint
    from firmograph.database.connection import Session
    from firmograph.indexing.active_index import ActiveIndex
    from firmograph.jobs.scheduler import PeriodicJob
    from firmograph.lookalikes.index.factory import ServedSimilarity
    from firmograph.lookalikes.index.similarity_index import SimilarityIndex
    from firmograph.lookalikes.service import Lookalikes
    from firmograph.privacy.declarations import PersonalData

_PRICES: Final = {
    "lookalikeContact": Price(credits=1, per_quantity=5),
    "lookalikeCompany": Price(credits=1, per_quantity=5),
}


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.lookalikes.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _similarity(installation: Installation) -> "ServedSimilarity":
    from firmograph.lookalikes.index.factory import serve_similarity

    return serve_similarity(installation.database, installation.clock, installation.settings.search_folder)


def _active(installation: Installation) -> "ActiveIndex[SimilarityIndex]":
    """Return the index in service; none ever is where lookalikes are switched off."""
    if not installation.settings.lookalikes:
        from firmograph.indexing.active_index import ActiveIndex

        return ActiveIndex()
    from firmograph.lookalikes.index.factory import ServedSimilarity

    return installation.get(ServedSimilarity).active


def _indexes(installation: Installation) -> Sequence[RegisteredIndex]:
    if not installation.settings.lookalikes:
        return []
    from firmograph.lookalikes.index.factory import ServedSimilarity

    similarity = installation.get(ServedSimilarity)
    return [RegisteredIndex("similarity", similarity.active, [similarity.local])]


def _lookalikes(installation: Installation) -> "Lookalikes":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.lookalikes.service import Lookalikes

    return Lookalikes(
        installation.database,
        installation.clock,
        installation.get(ChargedCalls),
        _active(installation),
    )


def _endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.directory.lookup.record_lookup import RecordLookup
    from firmograph.lookalikes.answers import ResultReader
    from firmograph.lookalikes.current_lookalikes import CurrentLookalikes, make_kinds
    from firmograph.lookalikes.routes import routes
    from firmograph.lookalikes.seeds import CompanySeedReader, ContactSeedReader
    from firmograph.lookalikes.service import Lookalikes
    from firmograph.table_rows import RowWriter

    record_ids, digests = installation.record_ids, installation.digests
    kinds = make_kinds(
        ContactSeedReader(record_ids, digests, installation.get(RecordLookup)),
        CompanySeedReader(record_ids, digests),
        ResultReader(record_ids),
    )
    service = CurrentLookalikes(installation.get(Lookalikes), kinds)
    return routes(service, installation.get(RowWriter), enabled=installation.settings.lookalikes)


def _health(installation: Installation) -> "HealthPart":
    from firmograph.api.docs_and_health import HealthPart
    from firmograph.lookalikes.answers import SimilarityHealth

    enabled, index = installation.settings.lookalikes, _active(installation)
    return HealthPart(
        "similarity",
        SimilarityHealth,
        lambda: SimilarityHealth(index.state if enabled else "off", index.applied, index.head),
        "`similarity` is the state of the index of lookalikes: how many of the imported changes it contains.",
    )


def _periodic_jobs(installation: Installation) -> "Sequence[PeriodicJob]":
    from firmograph.jobs.scheduler import PeriodicJob
    from firmograph.lookalikes.sessions import delete_unused

    def forget(session: "Session", now: float) -> int:
        return delete_unused(session, now)

    # callers already treat an expired session as missing; this frees its rows
    return [PeriodicJob("forget-lookalike-sessions", 3_600.0, forget)]


def _background(installation: Installation) -> Sequence[BackgroundWork]:
    if not installation.settings.lookalikes:
        return []
    from firmograph.lookalikes.model.retraining import Retraining

    return [BackgroundWork("similarity", "learnt", Retraining(installation.database, installation.clock))]


REGISTRATION = Registration(
    prices=_PRICES,
    personal_data=_personal_data,
    services={"ServedSimilarity": _similarity, "Lookalikes": _lookalikes},
    endpoints=_endpoints,
    health=_health,
    indexes=_indexes,
    periodic_jobs=_periodic_jobs,
    background=_background,
)
"""Endpoints and index of lookalikes."""

"""Registration of lookalikes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from firmograph.caller import Price
from firmograph.installation import BackgroundWork, Installation, RegisteredIndex, Registration

if TYPE_CHECKING:
    from firmograph.lookalikes.index.factory import ServedSimilarity
    from firmograph.privacy.declarations import PersonalData

_PRICES: Final = {
    "lookalikeContact": Price(credits=1, per_quantity=5),
    "lookalikeCompany": Price(credits=1, per_quantity=5),
}


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.lookalikes.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _background(installation: Installation) -> Sequence[BackgroundWork]:
    from firmograph.lookalikes.model.retraining import Retraining

    return [BackgroundWork("similarity", "learnt", Retraining(installation.database, installation.clock))]


def _similarity(installation: Installation) -> "ServedSimilarity":
    from firmograph.lookalikes.index.factory import serve_similarity

    return serve_similarity(installation.database, installation.clock, installation.settings.search_folder)


def _indexes(installation: Installation) -> Sequence[RegisteredIndex]:
    from firmograph.lookalikes.index.factory import ServedSimilarity

    similarity = installation.get(ServedSimilarity)
    return [RegisteredIndex("similarity", similarity.active, [similarity.local])]


REGISTRATION = Registration(
    prices=_PRICES,
    personal_data=_personal_data,
    services={"ServedSimilarity": _similarity},
    indexes=_indexes,
    background=_background,
)

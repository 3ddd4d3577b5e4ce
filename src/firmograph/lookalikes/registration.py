"""Registration of lookalikes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.caller import Price
from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.lookalikes.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    prices={
        "lookalikeContact": Price(credits=1, per_quantity=5),
        "lookalikeCompany": Price(credits=1, per_quantity=5),
    },
    personal_data=_personal_data,
    services=("firmograph.lookalikes.wiring",),
    server="firmograph.lookalikes.server_wiring",
    worker="firmograph.lookalikes.worker_wiring",
)

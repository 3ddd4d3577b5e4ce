"""Registration of the data waterfall."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.waterfall.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    personal_data=_personal_data,
    services=("firmograph.waterfall.wiring", "firmograph.bootstrap.metrics_wiring"),
    server="firmograph.waterfall.server_wiring",
    worker="firmograph.waterfall.worker_wiring",
    accounts="firmograph.waterfall.account_wiring",
)

"""Registration of website visits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.visits.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    personal_data=_personal_data,
    services=("firmograph.visits.wiring", "firmograph.visits.server_wiring"),
    server="firmograph.visits.server_wiring",
    worker="firmograph.visits.worker_wiring",
    accounts="firmograph.visits.account_wiring",
)

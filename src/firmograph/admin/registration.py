"""Registration of `/admin`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.admin.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    personal_data=_personal_data,
    services=("firmograph.admin.wiring", "firmograph.admin.server_wiring"),
    server="firmograph.admin.server_wiring",
    worker="firmograph.admin.worker_wiring",
)

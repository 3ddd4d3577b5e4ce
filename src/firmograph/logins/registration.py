"""Registration of logins."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.logins.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    personal_data=_personal_data,
    services=("firmograph.logins.wiring",),
    worker="firmograph.logins.worker_wiring",
    accounts="firmograph.logins.account_wiring",
)

"""Registration of accounts: their management, authentication and usage."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.accounts.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    personal_data=_personal_data,
    services=("firmograph.accounts.wiring", "firmograph.accounts.server_wiring"),
    server="firmograph.accounts.server_wiring",
    worker="firmograph.accounts.worker_wiring",
)

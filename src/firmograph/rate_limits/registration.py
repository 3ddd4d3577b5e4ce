"""Registration of rate limits: the limiter of a server process, and its counters over restarts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.rate_limits.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    personal_data=_personal_data,
    services=("firmograph.rate_limits.server_wiring",),
    server="firmograph.rate_limits.server_wiring",
    worker="firmograph.rate_limits.worker_wiring",
)

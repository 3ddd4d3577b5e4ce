"""Registration of imports: their tables and files, and operator actions on records."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.ingest.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    personal_data=_personal_data,
    services=("firmograph.ingest.wiring",),
    worker="firmograph.ingest.worker_wiring",
)

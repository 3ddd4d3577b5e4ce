"""Registration of conversations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.caller import Price
from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.conversations.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    prices={
        "conversationsSearch": Price(credits=1, per_quantity=25),
        "conversationsTranscript": Price(credits=1, per_quantity=1),
    },
    personal_data=_personal_data,
    services=("firmograph.conversations.wiring", "firmograph.bootstrap.metrics_wiring"),
    server="firmograph.conversations.server_wiring",
    worker="firmograph.conversations.worker_wiring",
    accounts="firmograph.conversations.account_wiring",
)

"""Registration of signals: the calls, signal types and filter values."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.caller import Price
from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.signals.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    prices={
        "showSignalsCompany": Price(credits=1, per_quantity=1),
        "showSignalsContact": Price(credits=1, per_quantity=1),
    },
    personal_data=_personal_data,
    services=("firmograph.signals.wiring",),
    server="firmograph.signals.server_wiring",
)

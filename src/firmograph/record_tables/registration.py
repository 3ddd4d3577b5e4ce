"""Registration of record tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.caller import Price
from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.record_tables.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    prices={"tableRead": Price(credits=1, per_quantity=25)},
    personal_data=_personal_data,
    services=(
        "firmograph.record_tables.wiring",
        "firmograph.record_tables.cell_wiring",
        "firmograph.bootstrap.metrics_wiring",
    ),
    server="firmograph.record_tables.server_wiring",
    worker="firmograph.record_tables.worker_wiring",
    accounts="firmograph.record_tables.account_wiring",
)

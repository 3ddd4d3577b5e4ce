"""Registration of webhooks: subscriptions, test deliveries, the audit and the delivery worker."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmograph.installation import Registration

if TYPE_CHECKING:
    from firmograph.privacy.declarations import PersonalData


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.webhooks.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


REGISTRATION = Registration(
    personal_data=_personal_data,
    services=(
        "firmograph.webhooks.wiring",
        "firmograph.bootstrap.metrics_wiring",
        "firmograph.webhooks.server_wiring",
    ),
    server="firmograph.webhooks.server_wiring",
    worker="firmograph.webhooks.worker_wiring",
    accounts="firmograph.webhooks.account_wiring",
)

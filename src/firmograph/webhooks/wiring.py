"""Services of webhooks that commands use."""

from typing import Final

from firmograph.billing.plans import Plans
from firmograph.installation import Installation, Services
from firmograph.webhooks.deliveries.claim import DeliveryPrices
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.deliveries.forecast import Forecaster
from firmograph.webhooks.recovery import Recovery


def _forecaster(installation: Installation) -> Forecaster:
    plans = installation.get(Plans)
    fan_out = FanOut(
        installation.database,
        installation.clock,
        plans,
        installation.digests,
        installation.settings.webhook_max_signal_age,
    )
    return Forecaster(fan_out, DeliveryPrices(plans))


def _recovery(installation: Installation) -> Recovery:
    return Recovery(installation.database)


SERVICES: Final[Services] = {Forecaster: _forecaster, Recovery: _recovery}

"""Metrics of deliveries, which servers and workers show."""

from typing import Final

from firmograph.api.metrics import Metrics
from firmograph.installation import Installation, Services
from firmograph.webhooks.deliveries.metrics import DeliveryMetrics


def _delivery_metrics(installation: Installation) -> DeliveryMetrics:
    return DeliveryMetrics(installation.get(Metrics))


SERVICES: Final[Services] = {DeliveryMetrics: _delivery_metrics}

"""Metrics of deliveries."""

from typing import Final

from firmograph.api.metrics import Metrics
from firmograph.jobs.runner_metrics import MetricName, RunnerMetricNames, RunnerMetrics

_METRICS: Final = RunnerMetricNames(
    attempts=MetricName("firmograph_webhook_attempts", "Webhook delivery attempts finished by this process."),
    seconds=MetricName(
        "firmograph_webhook_delivered_seconds",
        "Seconds from the detection of a signal, or the start of its day, to its delivery.",
    ),
    in_flight=MetricName("firmograph_webhooks_in_flight", "Deliveries in flight."),
    backlog=(
        MetricName("firmograph_webhooks_waiting", "Deliveries that are ready to be sent, of all workers."),
        MetricName("firmograph_webhooks_signals_behind", "Signals whose deliveries are not created yet."),
    ),
)


class DeliveryMetrics(RunnerMetrics):
    """Metrics of deliveries."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(metrics, _METRICS)

"""Metrics of asks."""

from typing import Final

from firmograph.api.metrics import Metrics
from firmograph.jobs.runner_metrics import MetricName, RunnerMetricNames, RunnerMetrics

_METRICS: Final = RunnerMetricNames(
    attempts=MetricName("firmograph_waterfall_asks", "Asks of providers by this process, by their end."),
    seconds=MetricName("firmograph_waterfall_ask_seconds", "Seconds until a provider answered."),
    in_flight=MetricName("firmograph_waterfall_asks_in_flight", "Asks of providers that are on their way."),
    backlog=(
        MetricName("firmograph_waterfall_asks_open", "Open asks, of all workers."),
        MetricName("firmograph_waterfall_oldest_seconds", "Age of the oldest open ask."),
    ),
)


class AskMetrics(RunnerMetrics):
    """Metrics of asks."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(metrics, _METRICS)

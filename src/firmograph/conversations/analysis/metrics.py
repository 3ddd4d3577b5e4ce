"""Metrics of analyses."""

from typing import Final

from firmograph.api.metrics import Metrics
from firmograph.jobs.runner_metrics import MetricName, RunnerMetricNames, RunnerMetrics

_METRICS: Final = RunnerMetricNames(
    attempts=MetricName(
        "firmograph_conversation_analyses",
        "Analyses of conversations finished by this process, by their end.",
    ),
    seconds=MetricName("firmograph_conversation_analysis_seconds", "Seconds from an import to its analysis."),
    in_flight=MetricName(
        "firmograph_conversation_analyses_in_flight", "Conversations that are being analysed."
    ),
    backlog=(
        MetricName(
            "firmograph_conversations_waiting", "Conversations that wait for an analysis, of all workers."
        ),
        MetricName("firmograph_conversations_oldest_seconds", "Age of the oldest conversation that waits."),
    ),
)


class AnalysisMetrics(RunnerMetrics):
    """Metrics of analyses."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(metrics, _METRICS)

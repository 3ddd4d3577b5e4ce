"""Metrics that servers and workers share, of all packages."""

from typing import Final

from firmograph import __version__
from firmograph.api.metrics import Metrics
from firmograph.conversations.analysis.metrics import AnalysisMetrics
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.jobs.metrics import JobMetrics
from firmograph.record_tables.runs.metrics import RunMetrics
from firmograph.waterfall.asks.metrics import AskMetrics
from firmograph.webhooks.deliveries.metrics import DeliveryMetrics


def _metrics(installation: Installation) -> Metrics:
    return Metrics(__version__)


def _job_metrics(installation: Installation) -> JobMetrics:
    return JobMetrics(installation.get(Metrics))


def _run_metrics(installation: Installation) -> RunMetrics:
    return RunMetrics(installation.get(Metrics))


def _delivery_metrics(installation: Installation) -> DeliveryMetrics:
    return DeliveryMetrics(installation.get(Metrics))


def _analysis_metrics(installation: Installation) -> AnalysisMetrics:
    return AnalysisMetrics(installation.get(Metrics))


def _ask_metrics(installation: Installation) -> AskMetrics:
    return AskMetrics(installation.get(Metrics))


def _create_job_metrics(installation: Installation) -> None:
    installation.get(JobMetrics)


SERVICES: Final[Services] = {
    Metrics: _metrics,
    JobMetrics: _job_metrics,
    RunMetrics: _run_metrics,
    DeliveryMetrics: _delivery_metrics,
    AnalysisMetrics: _analysis_metrics,
    AskMetrics: _ask_metrics,
}
SERVER: Final = ServerWiring(metrics=_create_job_metrics)

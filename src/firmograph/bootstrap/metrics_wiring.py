"""Metrics of `api` and `jobs`, which servers and workers show."""

from typing import Final

from firmograph import __version__
from firmograph.api.metrics import Metrics
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.jobs.metrics import JobMetrics


def _metrics(installation: Installation) -> Metrics:
    return Metrics(__version__)


def _job_metrics(installation: Installation) -> JobMetrics:
    return JobMetrics(installation.get(Metrics))


def _create_job_metrics(installation: Installation) -> None:
    installation.get(JobMetrics)


SERVICES: Final[Services] = {Metrics: _metrics, JobMetrics: _job_metrics}
SERVER: Final = ServerWiring(metrics=_create_job_metrics)

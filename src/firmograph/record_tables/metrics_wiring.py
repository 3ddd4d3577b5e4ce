"""Metrics of runs, which servers and workers show."""

from typing import Final

from firmograph.api.metrics import Metrics
from firmograph.installation import Installation, Services
from firmograph.record_tables.runs.metrics import RunMetrics


def _run_metrics(installation: Installation) -> RunMetrics:
    return RunMetrics(installation.get(Metrics))


SERVICES: Final[Services] = {RunMetrics: _run_metrics}

"""Metrics of runs."""

from typing import Final

from firmograph.api.metrics import Metrics
from firmograph.jobs.runner_metrics import MetricName, RunnerMetricNames, RunnerMetrics
from firmograph.record_tables.runs.store import Filled

_METRICS: Final = RunnerMetricNames(
    attempts=MetricName(
        "firmograph_table_run_turns", "Turns at runs of table columns finished by this process, by their end."
    ),
    seconds=MetricName("firmograph_table_run_seconds", "Seconds from the acceptance of a run to its end."),
    in_flight=MetricName("firmograph_table_runs_in_flight", "Runs of table columns that are being filled."),
    backlog=(
        MetricName(
            "firmograph_table_runs_open", "Runs of table columns that have not ended, of all workers."
        ),
        MetricName("firmograph_table_runs_oldest_seconds", "Age of the oldest run that has not ended."),
    ),
)
_CELLS: Final = MetricName("firmograph_table_cells", "Cells of tables that runs of this process filled.")


class RunMetrics(RunnerMetrics):
    """Metrics of runs."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(metrics, _METRICS)
        self._cells = metrics.counter(*_CELLS, ["status"])

    def count_cells(self, filled: Filled) -> None:
        """Count the cells of a part that is committed."""
        for status in ("success", "no_data", "failed"):
            self._cells.labels(status).inc(getattr(filled, status))

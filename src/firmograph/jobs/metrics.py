"""Metrics of periodic jobs."""

from firmograph.api.metrics import Metrics
from firmograph.jobs.scheduler import Outcome


class JobMetrics:
    """Counter of the jobs that the scheduler of this process finished."""

    def __init__(self, metrics: Metrics) -> None:
        self._jobs = metrics.counter(
            "firmograph_duties", "Jobs finished by the scheduler of this process.", ["duty", "outcome"]
        )

    def count_job(self, job: str, outcome: Outcome) -> None:
        """Count a finished job: done, failed, or lost to another worker."""
        self._jobs.labels(job, outcome).inc()

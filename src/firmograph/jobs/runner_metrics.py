"""Prometheus metrics of one kind of claimed work."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from firmograph.api.metrics import Metrics

_SECONDS: Final = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 600.0, 3_600.0, 86_400.0)


class MetricName(NamedTuple):
    """Name of a metric, with its help text."""

    name: str
    help: str


class RunnerMetricNames(NamedTuple):
    """Metrics of one kind of claimed work."""

    attempts: MetricName
    """Counter by outcome."""
    seconds: MetricName
    in_flight: MetricName
    backlog: Sequence[MetricName]
    """One for each figure of the queue's backlog."""


class RunnerMetrics:
    """Observer of a runner, as metrics of an application."""

    def __init__(self, metrics: Metrics, names: RunnerMetricNames) -> None:
        self._metrics = metrics
        self._names = names
        self._attempts = metrics.counter(*names.attempts, ["outcome"])
        self._seconds = metrics.histogram(*names.seconds, _SECONDS)
        self._backlog = [metrics.gauge(*name, "livemax") for name in names.backlog]

    def watch_in_flight(self, in_flight: Callable[[], int]) -> None:
        """Report the amount of work in flight."""
        self._metrics.watch(*self._names.in_flight, in_flight, "livesum")

    def count_attempts(self, outcome: str, count: int) -> None:
        self._attempts.labels(outcome).inc(count)

    def observe_seconds(self, seconds: float) -> None:
        self._seconds.observe(seconds)

    def set_backlog(self, *figures: int) -> None:
        for gauge, figure in zip(self._backlog, figures, strict=True):
            gauge.set(figure)

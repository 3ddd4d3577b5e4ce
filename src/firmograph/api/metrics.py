"""Prometheus metrics of requests, credits, jobs and deliveries, without names of accounts or people.

The workers of one `serve` report the sum of all workers. Each worker counts in its own files in a shared folder; a
worker that replaces another continues in the files of its predecessor, so that no counter decreases.
"""

import os
from collections.abc import Callable
from typing import Literal, Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class _HistogramLike(Protocol):
    def observe(self, amount: float) -> None: ...


class _CounterLike(Protocol):
    def inc(self, amount: float = 1) -> None: ...


_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable from which prometheus_client reads the shared folder."""

MultiprocessMode = Literal["livemin", "livemax", "livesum"]
"""Aggregation of a gauge over the workers of one `serve`."""


def share_metrics(folder: str, number: int) -> None:
    """Let this process, worker `number`, count in a folder shared by all workers.

    Must be called before the first metric is created.
    """
    os.environ[_FOLDER] = folder
    # keyed by worker number, not by process id, so that a successor continues from the same totals
    values.ValueClass = values.MultiProcessValue(lambda: number)  # type: ignore[no-untyped-call]


class Metrics:
    """Metrics of one application, in a registry of its own to separate applications in one process."""

    def __init__(self, version: str) -> None:
        self.registry = CollectorRegistry()
        self._folder = os.environ.get(_FOLDER)
        self._watched: list[tuple[Gauge, Callable[[], float]]] = []
        self._requests = Counter(
            "firmograph_requests", "Requests handled.", ["endpoint", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "firmograph_request_seconds",
            "Seconds from the headers of a request to its response.",
            ["endpoint"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.credits: _CounterLike = Counter(
            "firmograph_credits_charged", "Credits charged.", registry=self.registry
        )
        self._closed_connections = Counter(
            "firmograph_connections_closed",
            "Connections closed or refused because of their clients.",
            ["reason"],
            registry=self.registry,
        )
        self._jobs = Counter(
            "firmograph_duties",
            "Jobs finished by the scheduler of this process.",
            ["duty", "outcome"],
            registry=self.registry,
        )
        self._attempts = Counter(
            "firmograph_webhook_attempts",
            "Webhook delivery attempts finished by this process.",
            ["outcome"],
            registry=self.registry,
        )
        self._delivery_seconds = Histogram(
            "firmograph_webhook_delivered_seconds",
            "Seconds from the detection of a signal, or the start of its day, to its delivery.",
            buckets=(*_SECONDS[5:], 30.0, 60.0, 600.0, 3_600.0, 86_400.0),
            registry=self.registry,
        )
        self._waiting_deliveries = Gauge(
            "firmograph_webhooks_waiting",
            "Deliveries that are ready to be sent, of all workers.",
            registry=self.registry,
            multiprocess_mode="livemax",
        )
        self._signals_behind = Gauge(
            "firmograph_webhooks_signals_behind",
            "Signals whose deliveries are not created yet.",
            registry=self.registry,
            multiprocess_mode="livemax",
        )
        Gauge(
            "firmograph_info",
            "Running version.",
            ["version"],
            registry=self.registry,
            multiprocess_mode="livemax",
        ).labels(version).set(1)
        self._children: dict[tuple[str, int], tuple[_CounterLike, _HistogramLike]] = {}

    def watch_search(self, applied: Callable[[], int], head: Callable[[], int]) -> None:
        """Report the progress of the search index; the difference of the two gauges is its lag in changes."""
        self.watch(
            "firmograph_search_applied_sequence",
            "Position in the change sequence up to which changes are searchable.",
            applied,
            "livemin",
        )
        self.watch("firmograph_search_head_sequence", "End of the change sequence.", head, "livemax")

    def watch(self, name: str, help: str, value: Callable[[], float], mode: MultiprocessMode) -> None:
        """Report the current value of a function; values of other workers are at most a second old."""
        gauge = Gauge(name, help, registry=self.registry, multiprocess_mode=mode)
        if self._folder is None:
            gauge.set_function(value)
        else:
            self._watched.append((gauge, value))

    def update_watched(self) -> None:
        """Publish the watched values, which the other workers report."""
        for gauge, value in self._watched:
            gauge.set(value())

    def watch_limits(self, shared: Callable[[], bool]) -> Callable[[], None]:
        """Report whether all servers count rate limits together; return the counter of locally limited calls."""
        self.watch(
            "firmograph_limits_shared",
            "1 while all servers count rate limits together, 0 while each applies its own share.",
            shared,
            "livemin",
        )
        limited_locally: _CounterLike = Counter(
            "firmograph_limits_judged_locally",
            "Calls counted under this server's own share of the limits.",
            registry=self.registry,
        )
        return limited_locally.inc

    def count_response(self, endpoint: str, status: int, seconds: float) -> None:
        children = self._children.get((endpoint, status))
        if children is None:
            # looking up labels costs more than counting, so each pair is looked up once
            children = (self._requests.labels(endpoint, str(status)), self._seconds.labels(endpoint))
            self._children[endpoint, status] = children
        children[0].inc()
        children[1].observe(seconds)

    def count_closed_connection(self, reason: str) -> None:
        """Count a connection that the server closed or refused."""
        self._closed_connections.labels(reason).inc()

    def watch_connections(self, count: Callable[[], int]) -> None:
        """Report the number of open connections."""
        self.watch("firmograph_connections", "Open connections.", count, "livesum")

    def count_job(self, job: str, outcome: str) -> None:
        """Count a finished job: done, failed, or lost to another worker."""
        self._jobs.labels(job, outcome).inc()

    def count_attempts(self, outcome: str, count: int) -> None:
        """Count finished delivery attempts: success, failed, permanent_failure, or lost to another worker."""
        self._attempts.labels(outcome).inc(count)

    def observe_delivery(self, seconds: float) -> None:
        """Record the time from the detection of a signal to its delivery."""
        self._delivery_seconds.observe(seconds)

    def set_backlog(self, deliveries: int, signals: int) -> None:
        """Record the number of waiting deliveries and of signals without deliveries."""
        self._waiting_deliveries.set(deliveries)
        self._signals_behind.set(signals)

    def watch_deliveries(self, in_flight: Callable[[], int]) -> None:
        """Report the number of deliveries in flight."""
        self.watch("firmograph_webhooks_in_flight", "Deliveries in flight.", in_flight, "livesum")

    def render(self) -> bytes:
        """Return the metrics of all workers of this `serve` in the Prometheus text format."""
        if self._folder is None:
            return generate_latest(self.registry)
        self.update_watched()
        all_workers = CollectorRegistry()
        MultiProcessCollector(all_workers, self._folder)  # type: ignore[no-untyped-call]
        return generate_latest(all_workers)

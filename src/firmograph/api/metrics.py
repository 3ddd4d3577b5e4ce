"""Prometheus metrics of requests and credits, and those that packages add; none names an account or a person.

The workers of one `serve` report the sum of all workers. Each worker counts in its own files in a shared folder; a
worker that replaces another continues in the files of its predecessor, so that no counter decreases.
"""

import os
from collections.abc import Callable, Sequence
from typing import Final, Literal, Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector

REQUEST_SECONDS: Final = (
    0.0005,
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
)


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
            buckets=REQUEST_SECONDS,
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
        Gauge(
            "firmograph_info",
            "Running version.",
            ["version"],
            registry=self.registry,
            multiprocess_mode="livemax",
        ).labels(version).set(1)
        self._children: dict[tuple[str, int], tuple[_CounterLike, _HistogramLike]] = {}

    def counter(self, name: str, help: str, labels: Sequence[str] = ()) -> Counter:
        """Return a new counter."""
        return Counter(name, help, labels, registry=self.registry)

    def histogram(self, name: str, help: str, buckets: Sequence[float]) -> Histogram:
        """Return a new histogram with the bounds of these buckets."""
        return Histogram(name, help, buckets=buckets, registry=self.registry)

    def gauge(self, name: str, help: str, mode: MultiprocessMode) -> Gauge:
        """Return a new gauge, which its owner sets."""
        return Gauge(name, help, registry=self.registry, multiprocess_mode=mode)

    def watch(self, name: str, help: str, value: Callable[[], float], mode: MultiprocessMode) -> None:
        """Report the current value of a function; values of other workers are at most a second old."""
        gauge = self.gauge(name, help, mode)
        if self._folder is None:
            gauge.set_function(value)
        else:
            self._watched.append((gauge, value))

    def update_watched(self) -> None:
        """Publish the watched values, which the other workers report."""
        for gauge, value in self._watched:
            gauge.set(value())

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

    def render(self) -> bytes:
        """Return the metrics of all workers of this `serve` in the Prometheus text format."""
        if self._folder is None:
            return generate_latest(self.registry)
        self.update_watched()
        all_workers = CollectorRegistry()
        MultiProcessCollector(all_workers, self._folder)  # type: ignore[no-untyped-call]
        return generate_latest(all_workers)

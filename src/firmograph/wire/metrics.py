"""What `/metrics` counts: requests, how long they took, credits. It names no account and no person."""

from collections.abc import Callable
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class _Observes(Protocol):
    def observe(self, amount: float) -> None: ...


class _Counts(Protocol):
    def inc(self, amount: float = 1) -> None: ...


class Metrics:
    """The meters of one application; a registry of its own keeps applications in one process apart."""

    def __init__(self, version: str) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "firmograph_requests", "Requests answered.", ["endpoint", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "firmograph_request_seconds",
            "Seconds from a request's headers to its answer.",
            ["endpoint"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.credits: _Counts = Counter(
            "firmograph_credits_charged", "Credits charged.", registry=self.registry
        )
        self._duties = Counter(
            "firmograph_duties",
            "Duties of the background worker in this process that ended.",
            ["duty", "outcome"],
            registry=self.registry,
        )
        Gauge("firmograph_info", "What runs.", ["version"], registry=self.registry).labels(version).set(1)
        self._held: dict[tuple[str, int], tuple[_Counts, _Observes]] = {}

    def watch_search(self, applied: Callable[[], int], head: Callable[[], int]) -> None:
        """Tell how far the search index has followed; the difference is its lag in changes."""
        Gauge(
            "firmograph_search_applied_sequence",
            "Place in the change sequence up to which every change can be found.",
            registry=self.registry,
        ).set_function(applied)
        Gauge(
            "firmograph_search_head_sequence", "Last place of the change sequence.", registry=self.registry
        ).set_function(head)

    def answered(self, endpoint: str, status: int, seconds: float) -> None:
        held = self._held.get((endpoint, status))
        if held is None:
            # label look-ups cost more than the counting itself, so each pair is looked up once
            held = (self._requests.labels(endpoint, str(status)), self._seconds.labels(endpoint))
            self._held[endpoint, status] = held
        held[0].inc()
        held[1].observe(seconds)

    def duty_ended(self, duty: str, outcome: str) -> None:
        """Count a duty of the worker: done, failed, or lost to another worker."""
        self._duties.labels(duty, outcome).inc()

    def render(self) -> bytes:
        """The text form of Prometheus."""
        return generate_latest(self.registry)

"""What `/metrics` counts: requests, how long they took, credits. It names no account and no person.

The workers of one `serve` count together: what one of them answers holds for all. Each counts in files of its own in
a folder that they share, and a worker that takes the place of another goes on in its files, so no total falls.
"""

import os
from collections.abc import Callable
from typing import Literal, Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class _Observes(Protocol):
    def observe(self, amount: float) -> None: ...


class _Counts(Protocol):
    def inc(self, amount: float = 1) -> None: ...


_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Where the library looks for the folder that processes share."""

OfWorkers = Literal["livemin", "livemax", "livesum"]
"""Which of the values that the workers of one `serve` have is the one to tell."""


def count_together(folder: str, number: int) -> None:
    """Have the meters of this process, worker `number`, count in a folder that its fellows share.

    To be called before any are made.
    """
    os.environ[_FOLDER] = folder
    # by its place, not by its process: a successor goes on from the same totals
    values.ValueClass = values.MultiProcessValue(lambda: number)  # type: ignore[no-untyped-call]


class Metrics:
    """The meters of one application; a registry of its own keeps applications in one process apart."""

    def __init__(self, version: str) -> None:
        self.registry = CollectorRegistry()
        self._folder = os.environ.get(_FOLDER)
        self._watched: list[tuple[Gauge, Callable[[], float]]] = []
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
        self._cuts = Counter(
            "firmograph_connections_closed",
            "Connections that were closed, or refused, for their clients' doing.",
            ["reason"],
            registry=self.registry,
        )
        self._duties = Counter(
            "firmograph_duties",
            "Duties of the background worker in this process that ended.",
            ["duty", "outcome"],
            registry=self.registry,
        )
        self._attempts = Counter(
            "firmograph_webhook_attempts",
            "Attempts of this process to deliver to webhooks that ended.",
            ["outcome"],
            registry=self.registry,
        )
        self._delivered = Histogram(
            "firmograph_webhook_delivered_seconds",
            "Seconds from the detection of a signal, or the begin of its day, to its delivery.",
            buckets=(*_SECONDS[5:], 30.0, 60.0, 600.0, 3_600.0, 86_400.0),
            registry=self.registry,
        )
        self._waiting = Gauge(
            "firmograph_webhooks_waiting",
            "Deliveries of all workers together that nothing keeps from being sent.",
            registry=self.registry,
            multiprocess_mode="livemax",
        )
        self._behind = Gauge(
            "firmograph_webhooks_signals_behind",
            "Signals of which no deliveries were made yet.",
            registry=self.registry,
            multiprocess_mode="livemax",
        )
        Gauge(
            "firmograph_info", "What runs.", ["version"], registry=self.registry, multiprocess_mode="livemax"
        ).labels(version).set(1)
        self._held: dict[tuple[str, int], tuple[_Counts, _Observes]] = {}

    def watch_search(self, applied: Callable[[], int], head: Callable[[], int]) -> None:
        """Tell how far the search index has followed; the difference is its lag in changes."""
        self.watch(
            "firmograph_search_applied_sequence",
            "Place in the change sequence up to which every change can be found.",
            applied,
            "livemin",
        )
        self.watch("firmograph_search_head_sequence", "Last place of the change sequence.", head, "livemax")

    def watch(self, name: str, text: str, value: Callable[[], float], of_workers: OfWorkers) -> None:
        """Tell a value as it is when asked; those of other workers as they were a second ago at most."""
        gauge = Gauge(name, text, registry=self.registry, multiprocess_mode=of_workers)
        if self._folder is None:
            gauge.set_function(value)
        else:
            self._watched.append((gauge, value))

    def look_again(self) -> None:
        """Note what is watched, for the other workers to tell."""
        for gauge, value in self._watched:
            gauge.set(value())

    def watch_limits(self, shared: Callable[[], bool]) -> Callable[[], None]:
        """Tell whether rate limits are counted by all servers together; what it returns counts a call that was not."""
        self.watch(
            "firmograph_limits_shared",
            "1 while all servers count rate limits together, 0 while each admits its own share.",
            shared,
            "livemin",
        )
        judged: _Counts = Counter(
            "firmograph_limits_judged_locally",
            "Calls judged under this server's own share of the limits.",
            registry=self.registry,
        )
        return judged.inc

    def answered(self, endpoint: str, status: int, seconds: float) -> None:
        held = self._held.get((endpoint, status))
        if held is None:
            # label look-ups cost more than the counting itself, so each pair is looked up once
            held = (self._requests.labels(endpoint, str(status)), self._seconds.labels(endpoint))
            self._held[endpoint, status] = held
        held[0].inc()
        held[1].observe(seconds)

    def connection_cut(self, reason: str) -> None:
        """Count a connection that was closed or refused by the server."""
        self._cuts.labels(reason).inc()

    def watch_connections(self, count: Callable[[], int]) -> None:
        """Tell how many connections are open."""
        self.watch("firmograph_connections", "Connections that are open.", count, "livesum")

    def duty_ended(self, duty: str, outcome: str) -> None:
        """Count a duty of the worker: done, failed, or lost to another worker."""
        self._duties.labels(duty, outcome).inc()

    def attempts_ended(self, outcome: str, count: int) -> None:
        """Count attempts to deliver: success, failed, permanent_failure, or lost to another worker."""
        self._attempts.labels(outcome).inc(count)

    def delivered(self, seconds: float) -> None:
        """Note how long after its detection a signal was delivered."""
        self._delivered.observe(seconds)

    def waiting(self, deliveries: int, signals: int) -> None:
        """Note what is before the workers."""
        self._waiting.set(deliveries)
        self._behind.set(signals)

    def watch_deliveries(self, in_flight: Callable[[], int]) -> None:
        """Tell how many deliveries are on their way."""
        self.watch("firmograph_webhooks_in_flight", "Deliveries on their way.", in_flight, "livesum")

    def render(self) -> bytes:
        """The text form of Prometheus, of all workers of this `serve`."""
        if self._folder is None:
            return generate_latest(self.registry)
        self.look_again()
        together = CollectorRegistry()
        MultiProcessCollector(together, self._folder)  # type: ignore[no-untyped-call]
        return generate_latest(together)

"""Background work of the data waterfall: asks, and the deletion of what is kept for a time."""

from collections.abc import Sequence
from typing import Final

from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.plans import Plans
from firmograph.database.connection import Session
from firmograph.installation import BackgroundWork, Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob
from firmograph.kit.clock import DAY_SECONDS
from firmograph.waterfall.asks import ask_store, value_store
from firmograph.waterfall.asks.claim import AskClaimer
from firmograph.waterfall.asks.contacts import ValueReader
from firmograph.waterfall.asks.metrics import AskMetrics
from firmograph.waterfall.asks.queue import AskQueue
from firmograph.waterfall.asks.result import AnswerRecorder
from firmograph.waterfall.asks.worker import create_ask_worker
from firmograph.waterfall.providers.types import Providers
from firmograph.waterfall.types import JOB_SECONDS, MISS_SECONDS

_REPORT_SECONDS: Final = 90 * DAY_SECONDS
"""How long the report can look back."""


def _forget(session: Session, now: float) -> int:
    """Delete a part of the asks and jobs that nobody can poll any more, of old misses and of old calls."""
    # a job is kept for a day after its end, and open for one before
    return (
        ask_store.delete_ended(session, now - 3 * JOB_SECONDS, PART_ROWS)
        + ask_store.delete_old_jobs(session, now - 3 * JOB_SECONDS, PART_ROWS)
        + value_store.delete_old_misses(session, now - MISS_SECONDS, PART_ROWS)
        + value_store.delete_old_calls(session, now - _REPORT_SECONDS, PART_ROWS)
    )


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob]:
    return [PeriodicJob("forget-waterfall", DAY_SECONDS, _forget, "Delete old asks of the data waterfall")]


def make_ask_queue(installation: Installation) -> AskQueue:
    """Return the queue of asks."""
    database, clock, units = installation.database, installation.clock, installation.get(PaidUnits)
    values = ValueReader(installation.digests)
    claimer = AskClaimer(database, installation.get(Plans), installation.get(Providers), units, values.keys)
    recorder = AnswerRecorder(database, clock, values, units)
    return AskQueue(database, clock, claimer, recorder)


def _background(installation: Installation) -> Sequence[BackgroundWork]:
    metrics = installation.get(AskMetrics)
    worker = create_ask_worker(
        make_ask_queue(installation), lambda: installation.get(Providers), installation.clock, metrics
    )
    metrics.watch_in_flight(lambda: worker.in_flight)
    return [BackgroundWork("waterfall", "Asks of other providers", worker)]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs, background=_background)

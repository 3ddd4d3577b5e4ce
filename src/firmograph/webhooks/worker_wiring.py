"""Background work of webhooks."""

from collections.abc import Sequence
from typing import Final

from firmograph.billing.plans import Plans
from firmograph.installation import BackgroundWork, Installation, WorkerWiring
from firmograph.jobs.scheduler import ScopedJob
from firmograph.webhooks.deliveries.expiry_jobs import expiry_jobs
from firmograph.webhooks.deliveries.metrics import DeliveryMetrics
from firmograph.webhooks.factory import make_delivery_worker


def _periodic_jobs(installation: Installation) -> Sequence[ScopedJob]:
    return expiry_jobs(installation.get(Plans))


def _background(installation: Installation) -> Sequence[BackgroundWork]:
    metrics = installation.get(DeliveryMetrics)
    worker = make_delivery_worker(
        installation.settings,
        installation.database,
        installation.keyring,
        installation.clock,
        installation.get(Plans),
        metrics,
    )
    metrics.watch_in_flight(lambda: worker.in_flight)
    return [BackgroundWork("webhooks", "Webhook deliveries sent", worker)]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs, background=_background)

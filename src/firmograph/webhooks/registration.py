"""Registration of webhooks: subscriptions, test deliveries, the audit and the delivery worker."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from firmograph.installation import BackgroundWork, Installation, Registration

if TYPE_CHECKING:
    from firmograph.api.endpoint import Endpoint
    from firmograph.jobs.scheduler import ScopedJob
    from firmograph.privacy.declarations import PersonalData
    from firmograph.webhooks.deliveries.forecast import Forecaster
    from firmograph.webhooks.deliveries.metrics import DeliveryMetrics
    from firmograph.webhooks.recovery import Recovery
    from firmograph.webhooks.sending.client import Sender


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.webhooks.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _sender(installation: Installation) -> "Sender":
    """Build the sender of test deliveries, in the event loop that serves; the delivery worker has one of its own."""
    from firmograph.webhooks.sending.client import Sender

    return Sender(installation.settings, installation.clock)


def _delivery_metrics(installation: Installation) -> "DeliveryMetrics":
    from firmograph.api.metrics import Metrics
    from firmograph.webhooks.deliveries.metrics import DeliveryMetrics

    return DeliveryMetrics(installation.get(Metrics))


def _forecaster(installation: Installation) -> "Forecaster":
    from firmograph.billing.plans import Plans
    from firmograph.webhooks.deliveries.claim import DeliveryPrices
    from firmograph.webhooks.deliveries.fan_out import FanOut
    from firmograph.webhooks.deliveries.forecast import Forecaster

    plans = installation.get(Plans)
    fan_out = FanOut(
        installation.database,
        installation.clock,
        plans,
        installation.digests,
        installation.settings.webhook_max_signal_age,
    )
    return Forecaster(fan_out, DeliveryPrices(plans))


def _recovery(installation: Installation) -> "Recovery":
    from firmograph.webhooks.recovery import Recovery

    return Recovery(installation.database)


def _metrics(installation: Installation) -> None:
    from firmograph.webhooks.deliveries.metrics import DeliveryMetrics

    installation.get(DeliveryMetrics)


def _endpoints(installation: Installation) -> "Sequence[Endpoint]":
    from firmograph.billing.charged_call import ChargedCalls
    from firmograph.billing.idempotency import Idempotency
    from firmograph.signals.event_renderer import EventRenderer
    from firmograph.webhooks.audit.routes import routes as audit_routes
    from firmograph.webhooks.audit.service import Audit
    from firmograph.webhooks.sending.client import Sender
    from firmograph.webhooks.sending.secrets import make_secrets
    from firmograph.webhooks.subscriptions.routes import routes as subscription_routes
    from firmograph.webhooks.subscriptions.service import Subscriptions
    from firmograph.webhooks.test_delivery.routes import routes as test_routes
    from firmograph.webhooks.test_delivery.service import DeliveryTester

    database, settings = installation.database, installation.settings
    charged_calls = installation.get(ChargedCalls)
    secrets = make_secrets(installation.keyring)
    tester = DeliveryTester(
        database,
        installation.get(Idempotency),
        installation.clock,
        installation.get(EventRenderer),
        secrets,
        installation.get(Sender),
        settings.webhook_max_signal_age,
    )
    return [
        *subscription_routes(
            Subscriptions(database, charged_calls, installation.record_ids, secrets, settings)
        ),
        *test_routes(tester),
        *audit_routes(Audit(database, installation.digests)),
    ]


def _lifespans(installation: Installation) -> Sequence[AbstractAsyncContextManager[object]]:
    from firmograph.webhooks.sending.client import Sender

    return [installation.get(Sender)]


def _periodic_jobs(installation: Installation) -> "Sequence[ScopedJob]":
    from firmograph.billing.plans import Plans
    from firmograph.webhooks.deliveries.expiry_jobs import expiry_jobs

    return expiry_jobs(installation.get(Plans))


def _background(installation: Installation) -> Sequence[BackgroundWork]:
    from firmograph.billing.plans import Plans
    from firmograph.webhooks.deliveries.metrics import DeliveryMetrics
    from firmograph.webhooks.factory import make_delivery_worker

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
    return [BackgroundWork("webhooks", "sent", worker)]


REGISTRATION = Registration(
    personal_data=_personal_data,
    services={
        "Sender": _sender,
        "DeliveryMetrics": _delivery_metrics,
        "Forecaster": _forecaster,
        "Recovery": _recovery,
    },
    endpoints=_endpoints,
    lifespans=_lifespans,
    periodic_jobs=_periodic_jobs,
    metrics=_metrics,
    background=_background,
)

"""Parts of a server for webhooks: the sender of test deliveries, the endpoints and the metrics."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.idempotency import Idempotency
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.signals.event_renderer import EventRenderer
from firmograph.webhooks.audit.routes import routes as audit_routes
from firmograph.webhooks.audit.service import Audit
from firmograph.webhooks.deliveries.metrics import DeliveryMetrics
from firmograph.webhooks.sending.client import Sender
from firmograph.webhooks.sending.secrets import make_secrets
from firmograph.webhooks.subscriptions.routes import routes as subscription_routes
from firmograph.webhooks.subscriptions.service import Subscriptions
from firmograph.webhooks.test_delivery.routes import routes as test_routes
from firmograph.webhooks.test_delivery.service import DeliveryTester


def _sender(installation: Installation) -> Sender:
    """Build the sender of test deliveries, in the event loop that serves; the delivery worker has one of its own."""
    return Sender(installation.settings, installation.clock)


def _metrics(installation: Installation) -> None:
    installation.get(DeliveryMetrics)


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
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
    return [installation.get(Sender)]


SERVICES: Final[Services] = {Sender: _sender}
SERVER: Final = ServerWiring(endpoints=_endpoints, lifespans=_lifespans, metrics=_metrics)

"""Verification of received deliveries in JavaScript and by a library."""

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from firmograph.kit.clock import SystemClock
from firmograph.security.record_ids import RecordIds
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.types import ENTITY_OF
from firmograph.webhooks.sending.payload import compose_sample
from record_factory import KEYRING
from webhooks.javascript import Node
from webhooks.receivers import Receiver
from webhooks.senders import PAYLOAD, SECRET, run_with_sender

pytestmark = pytest.mark.any_database

NAMED = 'v1.Zoë "東京" \u2028 😀 \\ / \x7f'


@pytest.fixture(scope="module")
def received():
    """Send a delivery of each type."""
    renderer = EventRenderer(RecordIds(KEYRING))

    async def each(sender):
        for type, entity in ENTITY_OF.items():
            body = compose_sample(
                renderer,
                payload_id=PAYLOAD,
                subscription="a" * 24,
                named=NAMED,
                entity=entity,
                type=type,
                at=0.5,
            )
            assert (await sender.send(receiver.url, PAYLOAD, SECRET, body)).success

    with Receiver() as receiver:
        run_with_sender(each, clock=SystemClock(), webhook_require_acknowledgement=True)
        assert len(receiver.received) == len(ENTITY_OF)
        return receiver.received


@pytest.fixture(scope="module")
def node():
    node = Node()
    yield node
    node.close()


def altered(body):
    return body.replace(b'"creditsCharged":0', b'"creditsCharged":9')


def test_javascript_computes_the_same_signature_from_the_parsed_body(received, node):
    for delivery in received:
        headers = delivery.headers
        computed = node.check(delivery.body, secret=SECRET, timestamp=headers["x-service-timestamp"])
        assert computed.signature == headers["x-service-signature"]
        assert delivery.json["entityId"] == NAMED


def test_javascript_computes_another_signature_for_altered_or_foreign_deliveries(received, node):
    delivery = received[0]
    timestamp, signature = (delivery.headers[f"x-service-{name}"] for name in ("timestamp", "signature"))
    for body, secret, at in (
        (altered(delivery.body), SECRET, timestamp),
        (delivery.body, SECRET.removeprefix("whsec_"), timestamp),
        (delivery.body, SECRET, str(int(timestamp) + 1)),
    ):
        assert node.check(body, secret=secret, timestamp=at).signature != signature


def test_the_standard_webhooks_library_verifies_the_same_deliveries(received):
    for delivery in received:
        assert Webhook(SECRET).verify(delivery.body, delivery.headers) == delivery.json
        assert delivery.headers["webhook-id"] == delivery.json["id"]


def test_the_library_refuses_altered_and_foreign_deliveries(received):
    delivery = received[0]
    for body, secret, headers in (
        (altered(delivery.body), SECRET, {}),
        (delivery.body, "whsec_" + "A" * 44, {}),
        (delivery.body, SECRET, {"webhook-id": "another"}),
        (delivery.body, SECRET, {"webhook-timestamp": str(int(delivery.headers["webhook-timestamp"]) + 1)}),
    ):
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(body, delivery.headers | headers)

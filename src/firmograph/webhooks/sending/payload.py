"""Bodies of signal deliveries, as canonical JSON (docs/reference/webhooks.md#payloads)."""

import msgspec

from firmograph.kit.clock import iso
from firmograph.security.record_ids import Entity
from firmograph.signals.event_renderer import EventRenderer, RenderableSignal
from firmograph.signals.types import ENTITY_OF, Signal
from firmograph.webhooks.sending.canonical_json import canonical_json
from firmograph.webhooks.sending.sample_signals import SAMPLE_NUMBER, SAMPLE_SUMMARY, sample_signal

_parse = msgspec.json.Decoder().decode


class _Billing(msgspec.Struct, rename="camel"):
    credits_charged: int


class _Billed(msgspec.Struct):
    billing: _Billing


_parse_billed = msgspec.json.Decoder(_Billed).decode


def compose_signal(
    renderer: EventRenderer,
    *,
    payload_id: str,
    subscription: str,
    named: str,
    signal: Signal,
    card: bytes | None,
    credits: int,
    at: float,
) -> bytes:
    """Compose the exact bytes to send for a signal.

    `subscription` is its public id, `named` the record id as it was first sent, `card` the stored summary of a company,
    `at` the time of composition.
    """
    entity = Entity(signal.entity)
    data = _data(renderer, entity, signal.number, card, signal)
    return _enveloped(payload_id, subscription, entity, named, signal.type, data, credits, at)


def credits_of(body: bytes) -> int:
    """Return the price stated in a signal's body, which applies whenever it is sent."""
    return _parse_billed(body).billing.credits_charged


def sample_data(renderer: EventRenderer, type: str) -> bytes:
    """Compose the `data` object of a sample of this type; the same one each time."""
    return _data(renderer, ENTITY_OF[type], SAMPLE_NUMBER, SAMPLE_SUMMARY, sample_signal(type))


def compose_sample(
    renderer: EventRenderer,
    *,
    payload_id: str,
    subscription: str,
    named: str,
    entity: Entity,
    type: str,
    at: float,
) -> bytes:
    """Compose the exact bytes of a test delivery of this type. It is free."""
    data = sample_data(renderer, type)
    return _enveloped(payload_id, subscription, entity, named, type, data, 0, at)


def _data(
    renderer: EventRenderer, entity: Entity, number: int, card: bytes | None, signal: RenderableSignal
) -> bytes:
    contact = entity is Entity.CONTACT
    subject = renderer.contact(number) if contact else renderer.company(number, card or b"")
    return canonical_json(_parse(renderer.webhook_event(subject, signal)))


def _enveloped(
    payload_id: str,
    subscription: str,
    entity: Entity,
    named: str,
    type: str,
    data: bytes,
    credits: int,
    at: float,
) -> bytes:
    return (
        b'{"id":"%s","type":"%s","entityType":"%s","entityId":%s,"subscriptionId":"%s","data":%s,'
        b'"timestamp":"%s","billing":{"creditsCharged":%d}}'
    ) % (
        payload_id.encode(),
        type.encode(),
        entity.name.lower().encode(),
        canonical_json(named),
        subscription.encode(),
        data,
        iso(at).encode(),
        credits,
    )

"""The body of a delivery (specification 6.3, wire-b 8.2), as JavaScript gives it back (`canonical.py`)."""

import msgspec

from firmograph.kit.clock import iso
from firmograph.security.record_ids import Entity
from firmograph.signals.render import Renderer, Shown
from firmograph.signals.store import Signal
from firmograph.signals.types import ENTITY_OF
from firmograph.webhooks.sending.canonical_json import canonical
from firmograph.webhooks.sending.sample_signals import CARD, NUMBER, mock_signal

_parse = msgspec.json.Decoder().decode


class _Billing(msgspec.Struct, rename="camel"):
    credits_charged: int


class _Billed(msgspec.Struct):
    billing: _Billing


_parse_billed = msgspec.json.Decoder(_Billed).decode


def compose(
    renderer: Renderer,
    *,
    payload_id: str,
    subscription: str,
    named: str,
    signal: Signal,
    card: bytes | None,
    credits: int,
    at: float,
) -> bytes:
    """The exact bytes to send of a signal.

    `subscription` is its public id, `named` the record's id as it was first sent, `card` what is held of a company
    (`companies.card`), `at` when this is composed.
    """
    entity = Entity(signal.entity)
    data = _data(renderer, entity, signal.number, card, signal)
    return _enveloped(payload_id, subscription, entity, named, signal.type, data, credits, at)


def credits_of(body: bytes) -> int:
    """What the body of a signal says that it costs, which it does whenever it is sent."""
    return _parse_billed(body).billing.credits_charged


def mock_data(renderer: Renderer, type: str) -> bytes:
    """What a test tells of a concrete type, as the JSON object of `data`: made up, always the same."""
    return _data(renderer, ENTITY_OF[type], NUMBER, CARD, mock_signal(type))


def compose_mock(
    renderer: Renderer,
    *,
    payload_id: str,
    subscription: str,
    named: str,
    entity: Entity,
    type: str,
    at: float,
) -> bytes:
    """The exact bytes that a test sends of a concrete type. It costs nothing."""
    data = mock_data(renderer, type)
    return _enveloped(payload_id, subscription, entity, named, type, data, 0, at)


def _data(renderer: Renderer, entity: Entity, number: int, card: bytes | None, signal: Shown) -> bytes:
    contact = entity is Entity.CONTACT
    subject = renderer.contact(number) if contact else renderer.company(number, card or b"")
    return canonical(_parse(renderer.told_event(subject, signal)))


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
        canonical(named),
        subscription.encode(),
        data,
        iso(at).encode(),
        credits,
    )

"""The body of a delivery (specification 6.3, wire-b 8.2).

It is written as `JSON.stringify(JSON.parse(body))` gives it back, as receivers make the text again from what they
parsed before they check its signature (decisions, row 14): compact UTF-8, nothing escaped that need not be, whole
numbers without a point and within what JavaScript counts exactly.
"""

import re

import msgspec

from firmograph.kit.clock import iso
from firmograph.kit.tokens import Entity
from firmograph.signals.render import Renderer, Shown, Subject
from firmograph.signals.store import Signal
from firmograph.signals.types import ENTITY_OF
from firmograph.webhooks.canonical import canonical
from firmograph.webhooks.mock_events import CARD, NUMBER, mock_signal

_ODD = re.compile(rb"[:,\[]-?(?:\d{16}|\d+\.0[,}\]]|\d[\d.]*[eE])|[:,\[]-0[,}\]]")
"""Only where this is found a number may stand that JavaScript would write otherwise."""

_json = msgspec.json.Encoder().encode
_parse = msgspec.json.Decoder().decode


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
    subject: Subject = renderer.contact(number) if contact else renderer.company(number, card or b"")
    data = renderer.told_event(subject, signal)
    return canonical(_parse(data)) if _ODD.search(data) else data


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
        _json(named),
        subscription.encode(),
        data,
        iso(at).encode(),
        credits,
    )

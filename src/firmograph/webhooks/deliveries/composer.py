"""Composer of delivery bodies: composed at the first attempt, reused for retries."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import structlog

from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.signals import store as signal_store
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.types import Signal
from firmograph.webhooks.deliveries.claim_store import QueueHead
from firmograph.webhooks.sending import payload

log = structlog.get_logger("firmograph.webhooks")


class OpensOptOuts(Protocol):
    """Decrypter of stored opt-out payloads."""

    def open(self, payload_id: str, sealed: bytes) -> bytes:
        """Return the decrypted payload of an opt-out."""
        ...


class PricedDelivery(NamedTuple):
    """Delivery to attempt, with its price or its existing hold."""

    head: QueueHead
    price: int

    @property
    def is_first(self) -> bool:
        """Whether this is the first attempt."""
        return self.head.held is None


class ComposedBodies(NamedTuple):
    """Bodies by delivery.

    Deliveries in neither field failed to compose, which is logged.
    """

    composed: dict[int, bytes]
    """Exact bytes to send."""
    missing: set[int]
    """Deliveries whose signal or company no longer exists."""


class Composer:
    """Composer of the delivery bodies of one installation."""

    def __init__(self, renderer: EventRenderer, opt_outs: OpensOptOuts) -> None:
        self._renderer = renderer
        self._opt_outs = opt_outs

    def compose(self, session: Session, priced: Sequence[PricedDelivery], now: float) -> ComposedBodies:
        """Compose the bodies of these deliveries, or return the stored ones.

        Two statements where there are first attempts. A delivery that cannot be composed does not stop the others.
        """
        new = [one.head for one in priced if one.head.body is None and one.head.signal_id is not None]
        signals = signal_store.signals_by_id(
            session, sorted({head.signal_id for head in new if head.signal_id})
        )
        summaries = _company_summaries(session, signals)
        found = ComposedBodies({}, set())
        for one in priced:
            id = one.head.delivery_id
            try:
                body = self._body(one, signals, summaries, now)
            except Exception:
                log.exception("delivery cannot be composed; it stays queued", payload=one.head.payload_id)
                continue
            if body is None:
                found.missing.add(id)
            else:
                found.composed[id] = body
        return found

    def _body(
        self,
        priced: PricedDelivery,
        signals: Mapping[int, Signal],
        summaries: Mapping[int, bytes],
        now: float,
    ) -> bytes | None:
        head = priced.head
        if head.signal_id is None:
            return self._opt_outs.open(head.payload_id, head.body) if head.body is not None else None
        if head.body is not None:
            return head.body
        signal = signals.get(head.signal_id)
        if signal is None or (signal.entity == Entity.COMPANY and signal.number not in summaries):
            return None
        return payload.compose_signal(
            self._renderer,
            payload_id=head.payload_id,
            subscription=head.token,
            named=head.named,
            signal=signal,
            card=summaries.get(signal.number) if signal.entity == Entity.COMPANY else None,
            credits=priced.price,
            at=now,
        )


def _company_summaries(session: Session, signals: Mapping[int, Signal]) -> dict[int, bytes]:
    numbers = {signal.number for signal in signals.values() if signal.entity == Entity.COMPANY}
    return dict(signal_store.company_summaries(session, numbers)) if numbers else {}

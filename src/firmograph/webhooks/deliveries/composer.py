"""The bodies of deliveries: composed at the first attempt, and sent again as they are at the others."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import structlog

from firmograph.database.connection import Session
from firmograph.security.record_ids import Entity
from firmograph.signals import store as signal_store
from firmograph.signals.render import Renderer
from firmograph.signals.store import Signal
from firmograph.webhooks.deliveries.claim_store import Head
from firmograph.webhooks.sending import payload

log = structlog.get_logger("firmograph.webhooks")


class OpensOptOuts(Protocol):
    def open(self, payload_id: str, sealed: bytes) -> bytes:
        """The payload of an opt-out, which is kept sealed."""
        ...


class Priced(NamedTuple):
    """A delivery to be made, and what it costs or what is held for it."""

    head: Head
    price: int

    @property
    def is_first(self) -> bool:
        """Whether this is its first attempt."""
        return self.head.held is None


class Bodies(NamedTuple):
    """By delivery. What is in neither cannot be made, which is logged."""

    sent: dict[int, bytes]
    """The exact bytes to send."""
    gone: set[int]
    """What these would tell of is no longer held."""


class Composer:
    """Makes the bodies of the deliveries of one installation."""

    def __init__(self, renderer: Renderer, opt_outs: OpensOptOuts) -> None:
        self._renderer = renderer
        self._opt_outs = opt_outs

    def bodies(self, session: Session, priced: Sequence[Priced], now: float) -> Bodies:
        """Two statements where there are first attempts. One that cannot be made does not keep the others."""
        new = [one.head for one in priced if one.head.body is None and one.head.signal_id is not None]
        signals = signal_store.of_ids(session, sorted({head.signal_id for head in new if head.signal_id}))
        cards = _cards(session, signals)
        found = Bodies({}, set())
        for one in priced:
            id = one.head.delivery_id
            try:
                body = self._body(one, signals, cards, now)
            except Exception:
                log.exception("a delivery cannot be composed; it waits", payload=one.head.payload_id)
                continue
            if body is None:
                found.gone.add(id)
            else:
                found.sent[id] = body
        return found

    def _body(
        self, priced: Priced, signals: Mapping[int, Signal], cards: Mapping[int, bytes], now: float
    ) -> bytes | None:
        head = priced.head
        if head.signal_id is None:
            return self._opt_outs.open(head.payload_id, head.body) if head.body is not None else None
        if head.body is not None:
            return head.body
        signal = signals.get(head.signal_id)
        if signal is None or (signal.entity == Entity.COMPANY and signal.number not in cards):
            return None
        return payload.compose(
            self._renderer,
            payload_id=head.payload_id,
            subscription=head.token,
            named=head.named,
            signal=signal,
            card=cards.get(signal.number) if signal.entity == Entity.COMPANY else None,
            credits=priced.price,
            at=now,
        )


def _cards(session: Session, signals: Mapping[int, Signal]) -> dict[int, bytes]:
    numbers = {signal.number for signal in signals.values() if signal.entity == Entity.COMPANY}
    return dict(signal_store.company_cards(session, numbers)) if numbers else {}

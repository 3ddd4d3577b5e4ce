"""The test of a subscription: a made-up delivery, signed like any other and free (wire-b 7.3, decisions G).

It may run on a disabled subscription, and changes nothing of it: neither its state, nor its retries, nor what waits
for it. The audit has a row for it in each mode, which no figure counts.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET

from firmograph.accounts.caller import Caller
from firmograph.api.endpoint import AsyncResponse, Deferred
from firmograph.database.connection import Database, account_scope
from firmograph.kit.clock import Clock, day_of, iso
from firmograph.kit.errors import Busy, Forbidden, TooManyRequests
from firmograph.security.record_ids import Entity
from firmograph.signals.render import Renderer
from firmograph.signals.store import Signal
from firmograph.signals.types import ALL_SIGNALS
from firmograph.webhooks.deliveries import audit_store
from firmograph.webhooks.deliveries.fan_out import FEATURE
from firmograph.webhooks.deliveries.matching import Watcher, is_told, matching
from firmograph.webhooks.opt_outs.sample import mock_opt_out
from firmograph.webhooks.sending import payload
from firmograph.webhooks.sending.client import Sender
from firmograph.webhooks.sending.sample_signals import NUMBER, mock_signal
from firmograph.webhooks.sending.secrets import Secrets
from firmograph.webhooks.subscriptions.service import found
from firmograph.webhooks.subscriptions.store import Subscription
from firmograph.webhooks.test_delivery.shapes import FlowCheck, Mode, TestPayload, Trial
from firmograph.webhooks.types import OPT_OUT, Sent, Status

MOST: Final = 3
"""Tests of one account that wait for a receiver at once, in one process."""

_SHOWN: Final = {Entity.CONTACT: "promotion", Entity.COMPANY: "commercialActivityNews"}
"""What is made up for subscriptions to all signals: the two types that the specification shows."""
_NO_SECRET: Final = (
    "Forbidden: deliveries are signed with the account's secret, and there is none;"
    " POST /api/account/secret/regenerate makes one"
)


class _Mock(NamedTuple):
    """What is sent, or would be."""

    subscription: Subscription
    secret: str
    payload_id: str
    type: str
    body: bytes
    data: bytes
    """The part of the body that answers show."""


class Trials:
    """Tests subscriptions, as many at once as wait for receivers."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        renderer: Renderer,
        secrets: Secrets,
        sender: Sender,
        max_age_days: int,
    ) -> None:
        """`sender` is entered by whoever serves the calls, in the loop that serves them."""
        self._database = database
        self._clock = clock
        self._renderer = renderer
        self._secrets = secrets
        self._sender = sender
        self._max_age_days = max_age_days
        self._running: Counter[int] = Counter()

    def test(self, caller: Caller, token: str, mode: Mode, at: float) -> Deferred:
        """Raises NotFound, Forbidden without a secret, TooManyRequests while as many tests run as may.

        A subscription of another account is as unknown as one that never was.
        """

        def run() -> Deferred | AsyncResponse:
            mock = self._mock(caller.account_id, token, at)
            fault = None if mode == "direct" else self._fault(mock, caller, at)
            if mode == "kafka":
                return Deferred(self._noting(mock, mode, fault, None, at))
            return AsyncResponse(lambda: self._sent(mock, mode, fault))

        return Deferred(run, writes=False)

    def _mock(self, account_id: int, token: str, at: float) -> _Mock:
        with self._database.look() as session:
            subscription = found(session, account_id, token)
            secret = self._secrets.held(session, account_id)
        if secret is None:
            raise Forbidden(_NO_SECRET, ["webhook secret missing"])
        entity = Entity(subscription.entity)
        payload_id = str(uuid.uuid4())
        if subscription.types == OPT_OUT:
            nobody = self._renderer.contact(NUMBER).token.decode()
            body = mock_opt_out(nobody, subscription.partner, at)
            return _Mock(subscription, secret, payload_id, OPT_OUT, body, body)
        type = _type(subscription)
        body = payload.compose_mock(
            self._renderer,
            payload_id=payload_id,
            subscription=subscription.token,
            named=subscription.named,
            entity=entity,
            type=type,
            at=at,
        )
        return _Mock(subscription, secret, payload_id, type, body, payload.mock_data(self._renderer, type))

    def _fault(self, mock: _Mock, caller: Caller, at: float) -> str | None:
        """Why the subscription would not be told of such a signal now, were it active; None where it would."""
        subscription = mock.subscription
        if subscription.entity_id is None:
            return None
        if not caller.plan.features[FEATURE]:
            return f"{FEATURE} is not part of the account's plan"
        watcher = Watcher(
            subscription.id,
            subscription.account_id,
            subscription.token,
            subscription.entity,
            subscription.entity_id,
            subscription.types,
            subscription.after_signal,
            caller.plan.name,
        )
        signal = _signal(subscription, mock.type, at)
        told = is_told(signal, self._max_age_days) and any(matching([signal], [watcher]))
        return None if told else "Such a signal would not reach the subscription"

    async def _sent(self, mock: _Mock, mode: Mode, fault: str | None) -> Deferred:
        subscription = mock.subscription
        with self._place(subscription.account_id):
            at = self._clock.seconds()
            try:
                sent = await self._sender.send(subscription.url, mock.payload_id, mock.secret, mock.body)
            except OSError as error:
                raise Busy from error
        return Deferred(self._noting(mock, mode, fault, sent, at))

    def _noting(
        self, mock: _Mock, mode: Mode, fault: str | None, sent: Sent | None, at: float
    ) -> Callable[[], Trial]:
        def note() -> Trial:
            account = mock.subscription.account_id
            error = (sent.error if sent else None) or fault
            with self._database.write(account_scope(account)) as session:
                audit_store.add(session, [_entry(mock, sent, at, error)])
            return _answer(mock, mode, at, error, sent)

        return note

    @contextmanager
    def _place(self, account_id: int) -> Iterator[None]:
        """On the event loop, so that nobody counts at the same time."""
        if self._running[account_id] >= MOST:
            raise TooManyRequests(
                f"Too many requests: {MOST} tests of this account are waiting for their receivers;"
                " try again once one has ended",
                retry_after=_SOON,
            )
        self._running[account_id] += 1
        try:
            yield
        finally:
            self._running[account_id] -= 1
            if not self._running[account_id]:
                del self._running[account_id]


_SOON: Final = 2.0
"""Seconds; most receivers answer sooner."""


def _type(subscription: Subscription) -> str:
    first = subscription.types.split(",")[0]
    return _SHOWN[Entity(subscription.entity)] if first == ALL_SIGNALS else first


def _signal(subscription: Subscription, type: str, at: float) -> Signal:
    """As it would be detected now."""
    mock = mock_signal(type)
    return Signal(
        id=subscription.after_signal + 1,
        identity=mock.identity,
        entity=subscription.entity,
        number=subscription.entity_id or 0,
        type=type,
        day=day_of(at).isoformat(),
        detail="",
        event=mock.event,
        detected_at=at,
        quiet=0,
        ahead=0,
    )


def _entry(mock: _Mock, sent: Sent | None, at: float, error: str | None) -> audit_store.Entry:
    return audit_store.Entry(
        mock.subscription.account_id,
        mock.subscription.token,
        mock.payload_id,
        Status.SUCCESS if error is None else Status.FAILED,
        sent and sent.status_code,
        mock.subscription.url,
        at,
        sent and sent.duration_ms,
        error,
        (sent.body or None) if sent else None,
        response_ms=sent and sent.response_ms,
        is_test=1,
    )


def _answer(mock: _Mock, mode: Mode, at: float, error: str | None, sent: Sent | None) -> Trial:
    subscription = mock.subscription
    check = sent and FlowCheck(
        success=sent.success, status_code=sent.status_code or 0, duration_ms=sent.duration_ms
    )
    return Trial(
        subscription_id=subscription.token,
        subscription_name=subscription.name or UNSET,
        url=subscription.url,
        mode=mode,
        flow_check=check or UNSET,
        test_payload=TestPayload(
            entity_type="contact" if subscription.entity == Entity.CONTACT else "company",
            signal_type=mock.type,
            data=msgspec.Raw(mock.data),
        ),
        is_success=error is None,
        error=error or UNSET,
        timestamp=iso(at),
    )

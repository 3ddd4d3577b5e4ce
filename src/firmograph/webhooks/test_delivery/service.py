"""Subscription test: a sample delivery, signed like a real one and free.

See docs/reference/webhooks.md#test.

It may run on a disabled subscription and changes nothing about it: neither state nor retries nor queue. Each mode adds
a row to the audit, which no statistic counts.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET

from firmograph.api.endpoint import (
    AsyncResponse,
    Call,
    ChargedResponse,
    Deferred,
    FirstAnswer,
)
from firmograph.billing.idempotency import CachedResponse, Idempotency, KeyedCall, keyed_call
from firmograph.caller import AccountCaller
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.kit.clock import Clock, iso
from firmograph.kit.errors import Busy, Forbidden, NotFound, TooManyRequests
from firmograph.kit.whole_numbers import encode
from firmograph.security.record_ids import Entity
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.types import FEATURE
from firmograph.webhooks.deliveries import audit_store
from firmograph.webhooks.deliveries.matching import Watcher, is_deliverable, match_signals
from firmograph.webhooks.sending import payload
from firmograph.webhooks.sending.client import Sender
from firmograph.webhooks.sending.sample_signals import SAMPLE_NUMBER
from firmograph.webhooks.sending.secrets import Secrets
from firmograph.webhooks.subscriptions.service import find_subscription
from firmograph.webhooks.subscriptions.store import Subscription
from firmograph.webhooks.test_delivery.samples import (
    Sample,
    sample_as_signal,
    sample_opt_out,
    sample_type,
)
from firmograph.webhooks.test_delivery.shapes import (
    DeliveryTest,
    FlowCheck,
    Mode,
    TestPayload,
)
from firmograph.webhooks.types import OPT_OUT, SendResult, Status

MAX_CONCURRENT: Final = 3
"""Tests of one account that wait for receivers at once, per process."""

_NO_SECRET: Final = (
    "Forbidden: the account has no webhook secret to sign with;"
    " create one with POST /api/account/secret/regenerate"
)


class _Test(NamedTuple):
    """Test that is asked for."""

    call: Call[None]
    keyed: KeyedCall | None
    sample: Sample


class DeliveryTester:
    """Tester of subscriptions, limited by the number of tests in progress."""

    def __init__(
        self,
        database: Database,
        idempotency: Idempotency,
        clock: Clock,
        renderer: EventRenderer,
        secrets: Secrets,
        sender: Sender,
        max_age_days: int,
    ) -> None:
        """Create a tester; the HTTP server enters `sender` in its event loop."""
        self._database = database
        self._idempotency = idempotency
        self._clock = clock
        self._renderer = renderer
        self._secrets = secrets
        self._sender = sender
        self._max_age_days = max_age_days
        self._running: Counter[int] = Counter()

    def test(self, call: Call[None]) -> Deferred:
        """Test a subscription. A replay sends nothing, and answers what the audit has of the first test.

        Raises NotFound, also for a subscription of another account; Forbidden without a secret; TooManyRequests while
        the account has `MAX_CONCURRENT` tests in progress.
        """
        keyed, mode = keyed_call(call), call.query.mode

        def run() -> ChargedResponse | Deferred | AsyncResponse:
            repeated = None if keyed is None else self._repeat(call, keyed)
            if repeated is not None:
                return repeated
            test = _Test(call, keyed, self._sample(call))
            mismatch = None if mode == "direct" else self._mismatch(test.sample, call.account, call.at)
            if mode == "kafka":
                return Deferred(self._recorder(test, mismatch, None, call.at))
            return AsyncResponse(lambda: self._send(test, mismatch))

        return Deferred(run, writes=False)

    def _repeat(self, call: Call[None], keyed: KeyedCall) -> ChargedResponse | None:
        """Return the answer of the test under the key, None without one. Raises NotFound if it is not kept any more."""
        with self._database.look() as session:
            cached = self._idempotency.find(session, keyed)
            if cached is None:
                return None
            payload_id, type, sampled_at, received = cached.memo
            own = AccountSession(session, call.account.account_id)
            subscription = find_subscription(own, call.segments.id)
            row = audit_store.find_row(own, subscription.token, payload_id)
        if row is None:
            raise NotFound(
                "The audit does not have the test any more; send it again under a new Idempotency-Key"
            )
        sent = None
        if received is not None:
            sent = SendResult(row.status_code, row.duration_ms or 0, None if received else row.error)
        data = self._sample_data(subscription, type, sampled_at)
        then = subscription._replace(url=row.url)
        answer = _answer(then, type, data, call.query.mode, row.at, row.error, sent)
        return ChargedResponse(encode(answer), 0, first=FirstAnswer(cached.request_id, 0))

    def _sample(self, call: Call[None]) -> Sample:
        account_id, at = call.account.account_id, call.at
        with self._database.look() as session:
            subscription = find_subscription(AccountSession(session, account_id), call.segments.id)
            secret = self._secrets.find(session, account_id)
        if secret is None:
            raise Forbidden(_NO_SECRET, ["webhook secret missing"])
        payload_id, type = str(uuid.uuid4()), sample_type(subscription)
        data = self._sample_data(subscription, type, at)
        if type == OPT_OUT:
            return Sample(subscription, secret, payload_id, type, data, data)
        body = payload.compose_sample(
            self._renderer,
            payload_id=payload_id,
            subscription=subscription.token,
            named=subscription.named,
            entity=Entity(subscription.entity),
            type=type,
            at=at,
        )
        return Sample(subscription, secret, payload_id, type, body, data)

    def _sample_data(self, subscription: Subscription, type: str, at: float) -> bytes:
        """Return what the answer shows of a sample composed at a time."""
        if type == OPT_OUT:
            contact_id = self._renderer.contact(SAMPLE_NUMBER).token.decode()
            return sample_opt_out(contact_id, subscription.partner, at)
        return payload.sample_data(self._renderer, type)

    def _mismatch(self, sample: Sample, caller: AccountCaller, at: float) -> str | None:
        """Return why the active subscription would not receive such a signal; None if it would."""
        subscription = sample.subscription
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
        signal = sample_as_signal(subscription, sample.type, at)
        delivered = is_deliverable(signal, self._max_age_days) and any(match_signals([signal], [watcher]))
        return None if delivered else "The subscription would not receive such a signal"

    async def _send(self, test: _Test, mismatch: str | None) -> Deferred:
        sample, subscription = test.sample, test.sample.subscription
        with self._slot(subscription.account_id), self._idempotency.running(test.keyed):
            at = self._clock.seconds()
            try:
                sent = await self._sender.send(
                    subscription.url, sample.payload_id, sample.secret, sample.body
                )
            except OSError as error:
                raise Busy from error
        return Deferred(self._recorder(test, mismatch, sent, at))

    def _recorder(
        self, test: _Test, mismatch: str | None, sent: SendResult | None, at: float
    ) -> Callable[[], DeliveryTest]:
        call, keyed, sample = test

        def record() -> DeliveryTest:
            account = sample.subscription.account_id
            error = (sent.error if sent else None) or mismatch
            with self._database.write(account_scope(account)) as session:
                audit_store.add(session, [_entry(sample, sent, at, error)])
                if keyed is not None:
                    memo = [sample.payload_id, sample.type, call.at, sent and sent.success]
                    self._idempotency.keep(session, keyed, CachedResponse(call.request_id, 0, memo))
            return _answer(sample.subscription, sample.type, sample.data, call.query.mode, at, error, sent)

        return record

    @contextmanager
    def _slot(self, account_id: int) -> Iterator[None]:
        """Count a test in progress. Runs on the event loop, so counting needs no lock."""
        if self._running[account_id] >= MAX_CONCURRENT:
            raise TooManyRequests(
                f"Too many requests: {MAX_CONCURRENT} tests of this account are waiting for their receivers;"
                " try again when one has finished",
                retry_after=_RETRY_SECONDS,
            )
        self._running[account_id] += 1
        try:
            yield
        finally:
            self._running[account_id] -= 1
            if not self._running[account_id]:
                del self._running[account_id]


_RETRY_SECONDS: Final = 2.0
"""Most receivers respond sooner."""


def _entry(sample: Sample, sent: SendResult | None, at: float, error: str | None) -> audit_store.AuditEntry:
    return audit_store.AuditEntry(
        sample.subscription.account_id,
        sample.subscription.token,
        sample.payload_id,
        Status.SUCCESS if error is None else Status.FAILED,
        sent and sent.status_code,
        sample.subscription.url,
        at,
        sent and sent.duration_ms,
        error,
        (sent.body or None) if sent else None,
        response_ms=sent and sent.response_ms,
        is_test=1,
    )


def _answer(
    subscription: Subscription,
    type: str,
    data: bytes,
    mode: Mode,
    at: float,
    error: str | None,
    sent: SendResult | None,
) -> DeliveryTest:
    check = sent and FlowCheck(
        success=sent.success, status_code=sent.status_code or 0, duration_ms=sent.duration_ms
    )
    return DeliveryTest(
        subscription_id=subscription.token,
        subscription_name=subscription.name or UNSET,
        url=subscription.url,
        mode=mode,
        flow_check=check or UNSET,
        test_payload=TestPayload(
            entity_type="contact" if subscription.entity == Entity.CONTACT else "company",
            signal_type=type,
            data=msgspec.Raw(data),
        ),
        is_success=error is None,
        error=error or UNSET,
        timestamp=iso(at),
    )

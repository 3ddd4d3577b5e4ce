"""Subscription test: a sample delivery, signed like a real one and free.

See docs/reference/webhooks.md#test.

It may run on a disabled subscription and changes nothing about it: neither state nor retries nor queue. Each mode adds
a row to the audit, which no statistic counts.
"""

import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET

from firmograph.billing.charged_call import Charged
from firmograph.billing.idempotency import CachedResponse, Idempotency, Memo
from firmograph.caller import AccountCaller, Request
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.kit.clock import Clock, iso
from firmograph.kit.errors import Busy, Forbidden, NotFound, TooManyRequests
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


class Test(NamedTuple):
    """Test that is asked for."""

    request: Request
    mode: Mode
    sample: Sample
    mismatch: str | None
    """Why the subscription would not receive such a signal."""


class SentTest(NamedTuple):
    """Request that was sent."""

    at: float
    result: SendResult


class TestMemo(Memo, frozen=True):
    """What a replay shows again, with the row of the audit."""

    payload_id: str
    type: str
    sampled_at: float
    received: bool | None
    """None if nothing was sent."""


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

    def repeat(self, request: Request, subscription_id: str, mode: Mode) -> Charged[DeliveryTest] | None:
        """Return what the audit has of the test under the key, None without one; nothing is sent.

        Raises NotFound if it is not kept any more.
        """
        with self._database.look() as session:
            cached = self._idempotency.find(session, request, TestMemo)
            if cached is None:
                return None
            memo = cached.memo
            own = AccountSession(session, request.caller.account_id)
            subscription = find_subscription(own, subscription_id)
            row = audit_store.find_row(own, subscription.token, memo.payload_id)
        if row is None:
            raise NotFound(
                "The audit does not have the test any more; send it again under a new Idempotency-Key"
            )
        sent = None
        if memo.received is not None:
            error = None if memo.received else row.error
            sent = SendResult(row.status_code, row.duration_ms or 0, error)
        data = self._sample_data(subscription, memo.type, memo.sampled_at)
        then = subscription._replace(url=row.url)
        answer = _answer(then, memo.type, data, mode, row.at, row.error, sent)
        return Charged(answer, 0, cached.request_id, True)

    def begin(self, request: Request, subscription_id: str, mode: Mode) -> Test:
        """Return a test that is to be sent, unless its mode is `kafka`, and recorded.

        Raises NotFound, also for a subscription of another account, and Forbidden without a secret.
        """
        sample = self._sample(request, subscription_id)
        mismatch = None if mode == "direct" else self._mismatch(sample, request.caller, request.at)
        return Test(request, mode, sample, mismatch)

    def _sample(self, request: Request, subscription_id: str) -> Sample:
        account_id, at = request.caller.account_id, request.at
        with self._database.look() as session:
            subscription = find_subscription(AccountSession(session, account_id), subscription_id)
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

    async def send(self, test: Test) -> SentTest:
        """Send the sample. Raises TooManyRequests while the account has `MAX_CONCURRENT` tests in progress."""
        sample, subscription = test.sample, test.sample.subscription
        with self._slot(subscription.account_id), self._idempotency.running(test.request):
            at = self._clock.seconds()
            try:
                sent = await self._sender.send(
                    subscription.url, sample.payload_id, sample.secret, sample.body
                )
            except OSError as error:
                raise Busy from error
        return SentTest(at, sent)

    def record(self, test: Test, attempt: SentTest | None = None) -> DeliveryTest:
        """Write a test down in the audit, and keep it under the key of its call; return the answer."""
        request, mode, sample, mismatch = test
        at, sent = (request.at, None) if attempt is None else attempt
        error = (sent.error if sent else None) or mismatch
        with self._database.write(account_scope(sample.subscription.account_id)) as session:
            audit_store.add(session, [_entry(sample, sent, at, error)])
            memo = TestMemo(sample.payload_id, sample.type, request.at, sent and sent.success)
            self._idempotency.keep(session, request, CachedResponse(request.id, 0, memo))
        return _answer(sample.subscription, sample.type, sample.data, mode, at, error, sent)

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

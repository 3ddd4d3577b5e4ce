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

from firmograph.api.endpoint import AsyncResponse, Call, Deferred, Endpoint, endpoint
from firmograph.caller import AccountCaller
from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.directory.records import Contact, Email, JobTitle, Phone, SocialLinks
from firmograph.kit.clock import Clock, day_of, iso
from firmograph.kit.errors import Busy, Forbidden, NotFound, TooManyRequests
from firmograph.privacy.declarations import PersonRecord
from firmograph.security.record_ids import Entity
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.types import ALL_SIGNALS, FEATURE, Signal
from firmograph.webhooks.deliveries import audit_store
from firmograph.webhooks.deliveries.matching import Watcher, is_deliverable, match_signals
from firmograph.webhooks.opt_outs.service import OptOutNotice, compose_opt_out
from firmograph.webhooks.sending import payload
from firmograph.webhooks.sending.client import Sender
from firmograph.webhooks.sending.sample_signals import SAMPLE_NUMBER, SAMPLE_SUMMARY, sample_signal
from firmograph.webhooks.sending.secrets import Secrets
from firmograph.webhooks.subscriptions.routes import TAG, WINDOW
from firmograph.webhooks.subscriptions.service import find_subscription
from firmograph.webhooks.subscriptions.shapes import SubscriptionPath
from firmograph.webhooks.subscriptions.store import Subscription
from firmograph.webhooks.test_delivery.shapes import (
    DeliveryTest,
    DeliveryTestQuery,
    FlowCheck,
    Mode,
    TestPayload,
)
from firmograph.webhooks.types import OPT_OUT, SendResult, Status

MAX_CONCURRENT: Final = 3
"""Tests of one account that wait for receivers at once, per process."""

_SAMPLE_TYPES: Final = {Entity.CONTACT: "promotion", Entity.COMPANY: "commercialActivityNews"}
"""Sample types for subscriptions to all signals."""
_NO_SECRET: Final = (
    "Forbidden: the account has no webhook secret to sign with;"
    " create one with POST /api/account/secret/regenerate"
)

_DAY: Final = 86_400.0
_SAMPLE_CONTACT: Final = Contact(
    first_name="Jane",
    last_name="Example",
    job_title=JobTitle(title="Director of Sales"),
    social_links=SocialLinks(linkedin="https://www.linkedin.com/in/jane-example"),
    emails=[Email(email="jane@example.com")],
    phones=[Phone(number="+12025550123")],
)


class _Sample(NamedTuple):
    """Sample delivery."""

    subscription: Subscription
    secret: str
    payload_id: str
    type: str
    body: bytes
    data: bytes
    """The part of the body that the response shows."""


class DeliveryTester:
    """Tester of subscriptions, limited by the number of tests in progress."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        renderer: EventRenderer,
        secrets: Secrets,
        sender: Sender,
        max_age_days: int,
    ) -> None:
        """Create a tester; the HTTP server enters `sender` in its event loop."""
        self._database = database
        self._clock = clock
        self._renderer = renderer
        self._secrets = secrets
        self._sender = sender
        self._max_age_days = max_age_days
        self._running: Counter[int] = Counter()

    def test(self, caller: AccountCaller, token: str, mode: Mode, at: float) -> Deferred:
        """Test a subscription.

        Raises NotFound, also for a subscription of another account; Forbidden without a secret; TooManyRequests while
        the account has `MAX_CONCURRENT` tests in progress.
        """

        def run() -> Deferred | AsyncResponse:
            sample = self._sample(caller.account_id, token, at)
            mismatch = None if mode == "direct" else self._mismatch(sample, caller, at)
            if mode == "kafka":
                return Deferred(self._recorder(sample, mode, mismatch, None, at))
            return AsyncResponse(lambda: self._send(sample, mode, mismatch))

        return Deferred(run, writes=False)

    def _sample(self, account_id: int, token: str, at: float) -> _Sample:
        with self._database.look() as session:
            subscription = find_subscription(AccountSession(session, account_id), token)
            secret = self._secrets.find(session, account_id)
        if secret is None:
            raise Forbidden(_NO_SECRET, ["webhook secret missing"])
        entity = Entity(subscription.entity)
        payload_id = str(uuid.uuid4())
        if subscription.types == OPT_OUT:
            contact_id = self._renderer.contact(SAMPLE_NUMBER).token.decode()
            body = sample_opt_out(contact_id, subscription.partner, at)
            return _Sample(subscription, secret, payload_id, OPT_OUT, body, body)
        type = _type(subscription)
        body = payload.compose_sample(
            self._renderer,
            payload_id=payload_id,
            subscription=subscription.token,
            named=subscription.named,
            entity=entity,
            type=type,
            at=at,
        )
        return _Sample(
            subscription, secret, payload_id, type, body, payload.sample_data(self._renderer, type)
        )

    def _mismatch(self, sample: _Sample, caller: AccountCaller, at: float) -> str | None:
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
        signal = _signal(subscription, sample.type, at)
        delivered = is_deliverable(signal, self._max_age_days) and any(match_signals([signal], [watcher]))
        return None if delivered else "The subscription would not receive such a signal"

    async def _send(self, sample: _Sample, mode: Mode, mismatch: str | None) -> Deferred:
        subscription = sample.subscription
        with self._slot(subscription.account_id):
            at = self._clock.seconds()
            try:
                sent = await self._sender.send(
                    subscription.url, sample.payload_id, sample.secret, sample.body
                )
            except OSError as error:
                raise Busy from error
        return Deferred(self._recorder(sample, mode, mismatch, sent, at))

    def _recorder(
        self, sample: _Sample, mode: Mode, mismatch: str | None, sent: SendResult | None, at: float
    ) -> Callable[[], DeliveryTest]:
        def record() -> DeliveryTest:
            account = sample.subscription.account_id
            error = (sent.error if sent else None) or mismatch
            with self._database.write(account_scope(account)) as session:
                audit_store.add(session, [_entry(sample, sent, at, error)])
            return _answer(sample, mode, at, error, sent)

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


def sample_opt_out(contact_id: str, partner: str, at: float) -> bytes:
    """Compose the exact bytes of a sample opt-out, for a partner or, if empty, for none."""
    shown_at = at - 30 * _DAY
    notice = OptOutNotice(0, SAMPLE_NUMBER, partner, {"emails": shown_at, "phones": shown_at})
    return compose_opt_out(contact_id, notice, PersonRecord(_SAMPLE_CONTACT, SAMPLE_SUMMARY), at)


def _type(subscription: Subscription) -> str:
    first = subscription.types.split(",")[0]
    return _SAMPLE_TYPES[Entity(subscription.entity)] if first == ALL_SIGNALS else first


def _signal(subscription: Subscription, type: str, at: float) -> Signal:
    """Return the sample as if it were detected now."""
    sample = sample_signal(type)
    return Signal(
        id=subscription.after_signal + 1,
        identity=sample.identity,
        entity=subscription.entity,
        number=subscription.entity_id or 0,
        type=type,
        day=day_of(at).isoformat(),
        detail="",
        event=sample.event,
        detected_at=at,
        quiet=0,
        ahead=0,
    )


def _entry(sample: _Sample, sent: SendResult | None, at: float, error: str | None) -> audit_store.AuditEntry:
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
    sample: _Sample, mode: Mode, at: float, error: str | None, sent: SendResult | None
) -> DeliveryTest:
    subscription = sample.subscription
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
            signal_type=sample.type,
            data=msgspec.Raw(sample.data),
        ),
        is_success=error is None,
        error=error or UNSET,
        timestamp=iso(at),
    )


def routes(tester: DeliveryTester) -> list[Endpoint]:
    @endpoint(
        "POST",
        "/api/subscriptions/{id}/test",
        segments=SubscriptionPath,
        query=DeliveryTestQuery,
        answer=DeliveryTest,
        tags=[TAG],
        summary="Send a test delivery",
        description="Send a sample, signed like a real delivery and free. It works on a disabled subscription and"
        " changes nothing about it; each mode adds a row with `isTest` to the audit. The response is 200 even if the"
        " receiver fails: `isSuccess` is false then, and `flowCheck` and `error` give the reason. It arrives when the"
        f" receiver has responded, after at most 10 seconds. More than {MAX_CONCURRENT} tests of an account in"
        " progress are refused with 429. A subscription of another account is 404, like one that does not exist.",
        window=WINDOW,
        errors=[NotFound, Busy],
    )
    def test_subscription(call: Call[None]) -> Deferred:
        return tester.test(call.account, call.segments.id, call.query.mode, call.at)

    return [test_subscription]

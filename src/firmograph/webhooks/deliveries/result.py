"""Recording of attempt results: credits, audit and queue state.

See docs/reference/webhooks.md#charges.

Only results under a claim that is still valid count. The others are dropped: another worker sends the delivery again
under the same payload id.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

import structlog

from firmograph.billing import holds
from firmograph.billing.holds import Hold, Settlement
from firmograph.billing.types import signal_unit
from firmograph.database.connection import Database, Session, account_scope
from firmograph.jobs.retry_policy import RetryPolicy
from firmograph.kit.clock import Clock
from firmograph.security.record_ids import Entity
from firmograph.signals.service import PRICE_KEYS
from firmograph.webhooks.deliveries import audit_store, result_store
from firmograph.webhooks.deliveries.result_store import QueueState, SentDelivery
from firmograph.webhooks.types import STATUS_NAMES, AttemptResult, State, Status

log = structlog.get_logger("firmograph.webhooks")

EXHAUSTED: Final = "Max retries exceeded"


class RecordedResult(NamedTuple):
    """Result that counts."""

    result: AttemptResult
    status: Status
    queue: QueueState
    delivery: SentDelivery | None
    """None if it was deleted while in flight."""
    credits: int
    """Captured credits."""
    retry_at: float | None
    """Set if it failed and will be retried."""

    @property
    def outcome(self) -> str:
        return STATUS_NAMES[self.status]

    @property
    def seconds(self) -> float | None:
        """Seconds from detection to the end of the successful attempt."""
        if self.status is not Status.SUCCESS or self.delivery is None:
            return None
        return self.result.sent_at + self.result.send_result.duration_ms / 1000 - self.delivery.detected_at


class ResultRecorder:
    """Recorder of attempt results."""

    def __init__(self, database: Database, clock: Clock, retries: RetryPolicy) -> None:
        self._database = database
        self._clock = clock
        self._retries = retries

    def record(self, results: Sequence[AttemptResult]) -> list[RecordedResult]:
        """Record results and return those that count. Idempotent: a result counts once.

        One transaction; raises Busy and Unavailable.
        """
        if not results:
            return []
        scopes = {account_scope(result.attempt.account_id) for result in results}
        with self._database.write(*scopes) as session:
            recorded = self._judge_all(session, results, self._clock.seconds())
            if recorded:
                self._store(session, recorded, self._clock.seconds())
        return recorded

    def _judge_all(
        self, session: Session, results: Sequence[AttemptResult], now: float
    ) -> list[RecordedResult]:
        queues = result_store.lock_queues(session, {result.attempt.claim.key for result in results})
        live = [result for result in results if _is_current(result, queues.get(result.attempt.claim.key))]
        deliveries = result_store.read_deliveries(session, {result.attempt.delivery_id for result in live})
        return [
            self._judge(
                result, queues[result.attempt.claim.key], deliveries.get(result.attempt.delivery_id), now
            )
            for result in live
        ]

    def _judge(
        self, result: AttemptResult, queue: QueueState, delivery: SentDelivery | None, now: float
    ) -> RecordedResult:
        if result.send_result.success:
            # a call may have paid for it since
            held = delivery.held if delivery and delivery.paid_at is None else None
            return RecordedResult(result, Status.SUCCESS, queue, delivery, held or 0, None)
        url_changed = result.attempt.url != queue.url
        if url_changed or delivery is None or delivery.state == State.CANCELLED:
            # there is nothing to retry, or a new URL, which starts with all retries
            return RecordedResult(result, Status.FAILED, queue, delivery, 0, None)
        delay = self._retries.delay(queue.attempts, result.send_result.retry_after)
        if delay is None:
            return RecordedResult(result, Status.PERMANENT_FAILURE, queue, delivery, 0, None)
        return RecordedResult(result, Status.FAILED, queue, delivery, 0, now + delay)

    def _store(self, session: Session, recorded: Sequence[RecordedResult], now: float) -> None:
        _settle(session, recorded, now)
        audit_store.add(session, [_entry(each) for each in recorded])
        arrived = [each for each in recorded if each.status is Status.SUCCESS and each.delivery]
        result_store.record_arrivals(session, _subscription_ids(arrived), _delivery_ids(arrived), now)
        result_store.schedule_retries(
            session,
            [
                (each.queue.attempts + 1, each.retry_at, each.queue.id)
                for each in recorded
                if each.retry_at is not None
            ],
        )
        failed = [each for each in recorded if each.status is Status.PERMANENT_FAILURE]
        result_store.record_failures(
            session, _subscription_ids(failed), _delivery_ids(failed), EXHAUSTED, now
        )
        released = [
            each
            for each in recorded
            if each.delivery is None or (each.status is Status.FAILED and each.retry_at is None)
        ]
        result_store.release(session, _subscription_ids(released), now)


def _is_current(result: AttemptResult, queue: QueueState | None) -> bool:
    return queue is not None and queue.fence == result.attempt.claim.fence and queue.lease_until > 0


def _settle(session: Session, recorded: Iterable[RecordedResult], now: float) -> None:
    """Capture the holds of arrived deliveries; release those of paid signals and of permanent failures."""
    settled: dict[int, list[Settlement]] = defaultdict(list)
    for each in recorded:
        finished = each.status is Status.SUCCESS or each.status is Status.PERMANENT_FAILURE
        if finished and each.delivery and each.delivery.held:
            hold = Hold(
                each.result.attempt.payload_id, PRICE_KEYS[Entity(each.queue.entity)], each.delivery.held
            )
            unit = signal_unit(each.delivery.identity) if each.delivery.identity else None
            settled[each.result.attempt.account_id].append(Settlement(hold, each.credits, unit))
    holds.settle_holds_of_accounts(session, settled, now)


def _entry(recorded: RecordedResult) -> audit_store.AuditEntry:
    attempt, result, sent_at = recorded.result
    return audit_store.AuditEntry(
        attempt.account_id,
        attempt.subscription,
        attempt.payload_id,
        recorded.status,
        result.status_code,
        attempt.url,
        sent_at,
        result.duration_ms,
        result.error,
        _stored_response(recorded),
        recorded.credits,
        result.response_ms,
    )


def _stored_response(recorded: RecordedResult) -> bytes | None:
    """Return the response to store: none for opt-outs and erased people, as it may repeat the payload."""
    delivery = recorded.delivery
    storable = delivery is not None and delivery.identity is not None and delivery.has_body
    return recorded.result.send_result.body or None if storable else None


def _subscription_ids(recorded: Iterable[RecordedResult]) -> list[int]:
    return [each.queue.id for each in recorded]


def _delivery_ids(recorded: Collection[RecordedResult]) -> list[int]:
    return [each.delivery.id for each in recorded if each.delivery]

"""Recording what came of attempts: money, audit, and what the lane does next (decisions G, Money, Order and retries).

Only what was sent under a claim that is still the lane's counts. Of the rest nothing is written at all: another worker
sends it, under the same payload id.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

import structlog

from firmograph.billing import holds
from firmograph.billing.holds import Hold, Settled
from firmograph.database.connection import Database, Session, account_scope
from firmograph.kit.clock import Clock
from firmograph.security.record_ids import Entity
from firmograph.signals import paid_store
from firmograph.signals.service import PRICE_KEYS
from firmograph.webhooks.deliveries import audit_store, result_store
from firmograph.webhooks.deliveries.result_store import Lane, OnItsWay
from firmograph.webhooks.deliveries.retry_policy import Retries
from firmograph.webhooks.types import Outcome, State, Status

log = structlog.get_logger("firmograph.webhooks")

EXHAUSTED: Final = "Max retries exceeded"


class Recorded(NamedTuple):
    """An attempt that counts."""

    outcome: Outcome
    status: Status
    lane: Lane
    delivery: OnItsWay | None
    """None where it was ended while it was on its way."""
    credits: int
    """Captured."""
    retry_at: float | None
    """Where it failed and is to be sent again."""

    @property
    def seconds(self) -> float | None:
        """From detection to the end of the attempt that succeeded."""
        if self.status is not Status.SUCCESS or self.delivery is None:
            return None
        return self.outcome.at + self.outcome.sent.duration_ms / 1000 - self.delivery.detected_at


class Recording:
    """Records attempts that ended."""

    def __init__(self, database: Database, clock: Clock, retries: Retries) -> None:
        self._database = database
        self._clock = clock
        self._retries = retries

    def record(self, outcomes: Sequence[Outcome]) -> list[Recorded]:
        """Those that count. May be repeated with the same outcomes: what is recorded does not count again.

        One transaction; raises Busy and Unavailable.
        """
        if not outcomes:
            return []
        scopes = {account_scope(outcome.attempt.account_id) for outcome in outcomes}
        with self._database.write(*scopes) as session:
            recorded = self._judge(session, outcomes, self._clock.seconds())
            if recorded:
                self._write(session, recorded, self._clock.seconds())
        return recorded

    def _judge(self, session: Session, outcomes: Sequence[Outcome], now: float) -> list[Recorded]:
        lanes = result_store.sent_lanes(session, {outcome.attempt.claim.key for outcome in outcomes})
        live = [outcome for outcome in outcomes if _counts(outcome, lanes.get(outcome.attempt.claim.key))]
        sent = result_store.sent_deliveries(session, {outcome.attempt.delivery_id for outcome in live})
        return [
            self._judged(
                outcome, lanes[outcome.attempt.claim.key], sent.get(outcome.attempt.delivery_id), now
            )
            for outcome in live
        ]

    def _judged(self, outcome: Outcome, lane: Lane, delivery: OnItsWay | None, now: float) -> Recorded:
        if outcome.sent.success:
            # a call may have paid for it meanwhile
            held = delivery.held if delivery and delivery.paid_at is None else None
            return Recorded(outcome, Status.SUCCESS, lane, delivery, held or 0, None)
        elsewhere = outcome.attempt.url != lane.url
        if elsewhere or delivery is None or delivery.state == State.CANCELLED:
            # nothing is to be tried again, or all of it: what the URL of before answered says nothing of this one
            return Recorded(outcome, Status.FAILED, lane, delivery, 0, None)
        delay = self._retries.delay(lane.attempts, outcome.sent)
        if delay is None:
            return Recorded(outcome, Status.PERMANENT_FAILURE, lane, delivery, 0, None)
        return Recorded(outcome, Status.FAILED, lane, delivery, 0, now + delay)

    def _write(self, session: Session, recorded: Sequence[Recorded], now: float) -> None:
        _settle(session, recorded, now)
        _note_paid(session, recorded, now)
        audit_store.add(session, [_entry(each) for each in recorded])
        arrived = [each for each in recorded if each.status is Status.SUCCESS and each.delivery]
        result_store.arrive(session, _lanes(arrived), _deliveries(arrived), now)
        result_store.retry(
            session,
            [
                (each.lane.attempts + 1, each.retry_at, each.lane.id)
                for each in recorded
                if each.retry_at is not None
            ],
        )
        failed = [each for each in recorded if each.status is Status.PERMANENT_FAILURE]
        result_store.give_up(session, _lanes(failed), _deliveries(failed), EXHAUSTED, now)
        rest = [
            each
            for each in recorded
            if each.delivery is None or (each.status is Status.FAILED and each.retry_at is None)
        ]
        result_store.pass_on(session, _lanes(rest), now)


def _counts(outcome: Outcome, lane: Lane | None) -> bool:
    return lane is not None and lane.fence == outcome.attempt.claim.fence and lane.lease_until > 0


def _settle(session: Session, recorded: Iterable[Recorded], now: float) -> None:
    """Capture what arrived; give back what a call paid for meanwhile, and what failed for good."""
    settled: dict[int, list[Settled]] = defaultdict(list)
    for each in recorded:
        ended = each.status is Status.SUCCESS or each.status is Status.PERMANENT_FAILURE
        if ended and each.delivery and each.delivery.held:
            hold = Hold(
                each.outcome.attempt.payload_id, PRICE_KEYS[Entity(each.lane.entity)], each.delivery.held
            )
            settled[each.outcome.attempt.account_id].append(Settled(hold, captured=bool(each.credits)))
    holds.settle_all(session, settled, now)


def _note_paid(session: Session, recorded: Iterable[Recorded], now: float) -> None:
    paid_store.put(
        session,
        [
            (
                each.outcome.attempt.account_id,
                each.delivery.identity,
                now,
                each.outcome.attempt.payload_id,
            )
            for each in recorded
            if each.credits and each.delivery and each.delivery.identity
        ],
    )


def _entry(recorded: Recorded) -> audit_store.Entry:
    attempt, sent, at = recorded.outcome
    return audit_store.Entry(
        attempt.account_id,
        attempt.subscription,
        attempt.payload_id,
        recorded.status,
        sent.status_code,
        attempt.url,
        at,
        sent.duration_ms,
        sent.error,
        _kept(recorded),
        recorded.credits,
        sent.response_ms,
    )


def _kept(recorded: Recorded) -> bytes | None:
    """What the receiver answered, which may repeat what it was told: not of opt-outs, nor where a person has gone."""
    delivery = recorded.delivery
    told = delivery is not None and delivery.identity is not None and delivery.has_body
    return recorded.outcome.sent.body or None if told else None


def _lanes(recorded: Iterable[Recorded]) -> list[int]:
    return [each.lane.id for each in recorded]


def _deliveries(recorded: Collection[Recorded]) -> list[int]:
    return [each.delivery.id for each in recorded if each.delivery]

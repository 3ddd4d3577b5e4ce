"""Delivery queue: the claimed work of webhooks (`jobs/claimed_queue.py`)."""

from collections.abc import Sequence
from typing import Final

import structlog

from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.jobs.claimed_queue import ClaimedQueue
from firmograph.kit.clock import Clock
from firmograph.webhooks.deliveries import cancel, claim_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.claim import Claimer
from firmograph.webhooks.deliveries.result import RecordedResult, ResultRecorder
from firmograph.webhooks.deliveries.store import Backlog
from firmograph.webhooks.types import Attempt, AttemptResult, Status

log = structlog.get_logger("firmograph.webhooks")

_BATCH: Final = 1_000
"""Cancelled deliveries finished in one transaction."""


class Queue(ClaimedQueue[Attempt, AttemptResult, RecordedResult]):
    """Delivery queue of one database, shared by any number of workers.

    Every method may raise Busy and Unavailable.
    """

    # an attempt ends within a third of a lease
    is_renewed = False

    def __init__(self, database: Database, clock: Clock, claimer: Claimer, recorder: ResultRecorder) -> None:
        super().__init__(database, clock, claim_store.leases)
        self._claimer = claimer
        self._recorder = recorder

    def claim(self, limit: int, now: float) -> list[Attempt]:
        """Claim attempts to make now, in the order of detection, at most one per subscription."""
        return self._claimer.claim(limit, now)

    def record(self, results: Sequence[AttemptResult]) -> list[RecordedResult]:
        """Record attempt results. Return those whose claim is still ours; another worker owns the rest."""
        recorded = self._recorder.record(results)
        for each in recorded:
            if each.status is not Status.SUCCESS:
                _log_failed(each)
        return recorded

    def log_fields(self, result: AttemptResult) -> dict[str, str]:
        return {"payload": result.attempt.payload_id}

    def backlog(self) -> Backlog:
        """Return the backlog of the whole database, for all workers."""
        with self._database.look() as session:
            return delivery_store.backlog(session, self._clock.seconds())

    def finish_cancelled(self) -> int:
        """Audit and delete deliveries marked as cancelled; return how many."""
        with self._database.look() as session:
            accounts = claim_store.accounts_with_cancelled(session)
        return sum(self._finish_cancelled(account) for account in sorted(accounts))

    def _finish_cancelled(self, account: int) -> int:
        with self._database.write(account_scope(account)) as session:
            own = AccountSession(session, account)
            deliveries = delivery_store.find(own, claim_store.find_cancelled(own, _BATCH))
            cancel.cancel_deliveries(own, deliveries, self._clock.seconds())
        return len(deliveries)


def _log_failed(recorded: RecordedResult) -> None:
    attempt, result, _ = recorded.result
    blocked = recorded.status is Status.PERMANENT_FAILURE
    write = log.warning if blocked else log.info
    write(
        "webhook failed permanently; its subscription is disabled" if blocked else "webhook failed",
        payload=attempt.payload_id,
        subscription=attempt.subscription,
        status=result.status_code,
        reason=result.error,
        failed=recorded.queue.attempts + 1,
    )

"""Database cycle of a delivery worker: record, cancel, fan out, claim."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol, TypeVar

import structlog

from firmograph.database.connection import AccountSession, Database, account_scope
from firmograph.kit.clock import Clock
from firmograph.kit.error_log import ErrorLog
from firmograph.kit.errors import Busy, Unavailable
from firmograph.webhooks.deliveries import cancel, claim_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.claim import Claimer
from firmograph.webhooks.deliveries.result import RecordedResult, ResultRecorder
from firmograph.webhooks.deliveries.store import Backlog
from firmograph.webhooks.types import STATUS_NAMES, Attempt, AttemptResult, Status

log = structlog.get_logger("firmograph.webhooks")

BACKLOG_SECONDS: Final = 10.0
"""Interval between two reports of the backlog."""

GIVE_BACK_SECONDS: Final = 1.0
"""Delay until a delivery that was given back is due again."""

RECOVERED_SECONDS: Final = 30.0
"""Time without a failure after which a part has recovered; some failures come and go many times a minute."""

_BATCH: Final = 1_000
"""Cancelled deliveries finished in one transaction."""

T = TypeVar("T")


class MakesDeliveries(Protocol):
    """The fan-out, as far as a worker needs it."""

    def step(self) -> int:
        """Make deliveries for some new signals; return 0 when there were none."""
        ...


class DeliveryObserver(Protocol):
    """Receiver of a worker's figures."""

    def count_attempts(self, outcome: str, count: int) -> None: ...

    def observe_delivery(self, seconds: float) -> None: ...

    def set_backlog(self, deliveries: int, signals: int) -> None: ...


def make_error_log() -> ErrorLog:
    """Return the error log of a worker, whose parts are `send`, `cycle` and those of a cycle."""
    return ErrorLog(
        log,
        waiting="webhook worker is waiting for the database and will resume automatically",
        failed="part of the webhook worker failed and will be retried",
        recovered="part of the webhook worker has recovered",
        quiet_seconds=RECOVERED_SECONDS,
    )


class Queue:
    """Delivery queue of one database, shared by any number of workers.

    Every method may raise Busy and Unavailable.
    """

    def __init__(self, database: Database, clock: Clock, claimer: Claimer, recorder: ResultRecorder) -> None:
        self._database = database
        self._clock = clock
        self._claimer = claimer
        self._recorder = recorder

    def claim(self, limit: int, now: float) -> list[Attempt]:
        """Claim attempts to make now, in the order of detection, at most one per subscription."""
        return self._claimer.claim(limit, now)

    def record(self, results: Sequence[AttemptResult]) -> list[RecordedResult]:
        """Record attempt results. Return those whose claim is still ours; another worker owns the rest."""
        return self._recorder.record(results)

    def still_claimed(self, attempts: Sequence[Attempt]) -> set[int]:
        """Return the ids of the deliveries whose claims this worker still owns."""
        with self._database.look() as session:
            claimed = claim_store.still_claimed(
                session, {each.claim.key for each in attempts}, self._clock.seconds()
            )
        return {each.delivery_id for each in attempts if each.claim in claimed}

    def backlog(self) -> Backlog:
        """Return the backlog of the whole database, for all workers."""
        with self._database.look() as session:
            return delivery_store.backlog(session, self._clock.seconds())

    def give_back(self, attempts: Sequence[Attempt]) -> None:
        """Release attempts that were not sent because of a local error; they use up no retry."""
        if attempts:
            due_at = self._clock.seconds() + GIVE_BACK_SECONDS
            with self._database.write(None) as session:
                claim_store.give_back(session, (each.claim for each in attempts), due_at)

    def finish_cancelled(self) -> int:
        """Audit and delete deliveries marked as cancelled; return how many."""
        with self._database.look() as session:
            accounts = claim_store.accounts_with_cancelled(session)
        return sum(self._finish_cancelled(account) for account in sorted(accounts))

    def _finish_cancelled(self, account: int) -> int:
        with self._database.write(account_scope(account)) as session:
            own = AccountSession(session, account)
            deliveries = delivery_store.find(own, claim_store.find_cancelled(own, _BATCH))
            cancel.cancel_deliveries(session, account, deliveries, self._clock.seconds())
        return len(deliveries)


class CycleResult(NamedTuple):
    """Work done by one cycle."""

    recorded: int
    """Attempts whose results were recorded."""
    advanced: int
    """Signals passed and cancelled deliveries finished."""
    claimed: Sequence[Attempt]
    """Attempts to send now."""
    claimed_at: float

    @property
    def has_more(self) -> bool:
        """Whether more work may be due at once."""
        return bool(self.recorded or self.advanced or self.claimed)


class WorkerCycle:
    """Repeatable database cycle of a worker.

    It runs in one thread; other threads may append results.
    """

    def __init__(
        self,
        queue: Queue,
        fan_out: MakesDeliveries,
        clock: Clock,
        observer: DeliveryObserver,
        errors: ErrorLog,
    ) -> None:
        self._queue = queue
        self._fan_out = fan_out
        self._clock = clock
        self._observer = observer
        self._errors = errors
        self._backlog_at: float | None = None
        self.results: list[AttemptResult] = []
        """Results that wait to be recorded."""
        self.unsent: list[Attempt] = []
        """Attempts that could not be sent and wait to be given back."""

    @property
    def has_pending(self) -> bool:
        return bool(self.results or self.unsent)

    def record(self) -> int:
        """Record pending results and return how many.

        Raises Busy and Unavailable. Results stay pending until they are recorded, and one recorded twice counts once.
        """
        unsent = list(self.unsent)
        self._queue.give_back(unsent)
        del self.unsent[: len(unsent)]
        results = list(self.results)
        recorded = self._record(results)
        del self.results[: len(results)]
        self._report(recorded, len(results) - len(recorded))
        return len(results)

    def run(self, free: int) -> CycleResult:
        """Run one cycle: record results, then claim up to `free` attempts. Raises Busy and Unavailable."""
        recorded = self.record()
        advanced = self._run_step("cancel", self._queue.finish_cancelled, 0)
        advanced += self._run_step("fan-out", self._fan_out.step, 0)
        self._run_step("backlog", self._report_backlog, None)
        now = self._clock.seconds()
        nothing: list[Attempt] = []
        claimed = (
            self._run_step("claim", lambda: self._queue.claim(free, now), nothing) if free > 0 else nothing
        )
        return CycleResult(recorded, advanced, claimed, now)

    def _record(self, results: Sequence[AttemptResult]) -> list[RecordedResult]:
        try:
            return self._queue.record(results)
        except (Busy, Unavailable):
            raise
        except Exception:
            if len(results) > 1:
                return [each for result in results for each in self._record([result])]
            payload_id = results[0].attempt.payload_id
            log.exception(
                "delivery result cannot be recorded; the delivery will be sent again", payload=payload_id
            )
            return []

    def _run_step(self, name: str, work: Callable[[], T], otherwise: T) -> T:
        """Run one step; its failure is logged and does not stop the other steps."""
        try:
            done = work()
        except (Busy, Unavailable):
            raise
        except Exception as error:
            self._errors.failed(error, part=name)
            return otherwise
        self._errors.recovered(part=name)
        return done

    def _report_backlog(self) -> None:
        now = self._clock.seconds()
        if self._backlog_at is None or not 0 <= now - self._backlog_at < BACKLOG_SECONDS:
            self._observer.set_backlog(*self._queue.backlog())
            self._backlog_at = now

    def _report(self, recorded: Sequence[RecordedResult], lost: int) -> None:
        counts = Counter(STATUS_NAMES[each.status] for each in recorded)
        for name, count in (counts | Counter(lost=lost)).items():
            self._observer.count_attempts(name, count)
        for each in recorded:
            if each.seconds is not None:
                self._observer.observe_delivery(each.seconds)
            if each.status is not Status.SUCCESS:
                _log_failed(each)


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

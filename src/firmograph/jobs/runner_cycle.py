"""Database cycle of a runner: record, renew, other steps, backlog, claim."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from structlog.typing import FilteringBoundLogger

from firmograph.database.leases import Claim
from firmograph.jobs.claimed_queue import ClaimedQueue, Recorded, Result, Work
from firmograph.kit.clock import Clock
from firmograph.kit.error_log import ErrorLog
from firmograph.kit.errors import Busy, Unavailable

BACKLOG_SECONDS: Final = 10.0
"""Interval between two reports of the backlog."""

RECOVERED_SECONDS: Final = 30.0
"""Time without a failure after which a part has recovered; some failures come and go many times a minute."""

_RENEWAL_CHECKS: Final = 6
"""Checks within a lease of which claims to renew; a claim is renewed after a third of its lease."""

T = TypeVar("T")

Step = Callable[[], int]
"""Other work at the database in each cycle; returns its amount, 0 if there was nothing to do."""


class RunnerObserver(Protocol):
    """Receiver of a runner's figures."""

    def count_attempts(self, outcome: str, count: int) -> None:
        """Count finished work by its outcome: that of the queue, or `lost` to another worker."""
        ...

    def observe_seconds(self, seconds: float) -> None: ...

    def set_backlog(self, *figures: int) -> None: ...


class RunnerTexts(NamedTuple):
    """Names of one kind of claimed work, and texts of its log events."""

    log: FilteringBoundLogger
    name: str
    """In names of threads."""
    act: str
    """The part that does the work, in the log."""
    waiting: str
    failed: str
    recovered: str
    unrecordable: str
    unfinished: str
    """Results that could not be recorded before the end."""

    def make_error_log(self) -> ErrorLog:
        """Return the log of repeating failures; its parts are the act, `cycle` and those of a cycle."""
        return ErrorLog(
            self.log,
            waiting=self.waiting,
            failed=self.failed,
            recovered=self.recovered,
            quiet_seconds=RECOVERED_SECONDS,
        )


class CycleResult(NamedTuple, Generic[Work]):
    """Work done by one cycle."""

    recorded: int
    """Attempts whose results were recorded."""
    advanced: int
    """Amount of the other steps."""
    claimed: Sequence[Work]
    """Work to begin now."""
    claimed_at: float

    @property
    def has_more(self) -> bool:
        """Whether more work may be due at once."""
        return bool(self.recorded or self.advanced or self.claimed)


class _Flight(Generic[Work]):
    """Work in progress, with the beginning of its lease."""

    def __init__(self, work: Work, leased_at: float) -> None:
        self.work = work
        self.leased_at = leased_at


class RunnerCycle(Generic[Work, Result, Recorded]):
    """Repeatable database cycle of a runner.

    It runs in one thread; another one finishes the work in flight.
    """

    def __init__(
        self,
        queue: ClaimedQueue[Work, Result, Recorded],
        steps: Mapping[str, Step],
        clock: Clock,
        observer: RunnerObserver,
        texts: RunnerTexts,
        errors: ErrorLog,
    ) -> None:
        self._queue = queue
        self._steps = steps
        self._clock = clock
        self._observer = observer
        self._texts = texts
        self._errors = errors
        self._backlog_at: float | None = None
        self._renewed_at = 0.0
        # filled by this thread, emptied by the one that works
        self._in_flight: dict[Claim[Any], _Flight[Work]] = {}
        self._results: list[Result] = []
        self._failed: list[Work] = []

    @property
    def in_flight(self) -> int:
        return len(self._in_flight)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is in flight and no result waits to be recorded."""
        return not (self._in_flight or self._results or self._failed)

    def finish(self, work: Work, result: Result) -> None:
        """Keep a result until it is recorded. Called by the thread that works, as are `fail` and `drop`."""
        self._results.append(result)
        self.drop(work)

    def fail(self, work: Work) -> None:
        """Keep work that this machine could not do until it is given back."""
        self._failed.append(work)
        self.drop(work)

    def drop(self, work: Work) -> None:
        """Forget work that is lost to another worker."""
        self._in_flight.pop(work.claim, None)

    def drop_all(self) -> None:
        self._in_flight.clear()

    def record(self) -> int:
        """Record pending results and return how many; renew the claims of long work.

        Raises Busy and Unavailable. Results stay pending until they are recorded, and one recorded twice counts once.
        """
        failed = list(self._failed)
        self._queue.give_back(failed)
        del self._failed[: len(failed)]
        results = list(self._results)
        recorded = self._record(results)
        del self._results[: len(results)]
        self._report(recorded, len(results) - len(recorded))
        if self._queue.is_renewed:
            self._run_step("renew", self._renew, None)
        return len(results)

    def run(self, free: int) -> CycleResult[Work]:
        """Run one cycle: record results, then claim up to `free` rows. Raises Busy and Unavailable."""
        recorded = self.record()
        advanced = sum(self._run_step(name, step, 0) for name, step in self._steps.items())
        self._run_step("backlog", self._report_backlog, None)
        now = self._clock.seconds()
        nothing: Sequence[Work] = ()
        claimed = (
            self._run_step("claim", lambda: self._queue.claim(free, now), nothing) if free > 0 else nothing
        )
        self._in_flight.update((work.claim, _Flight(work, now)) for work in claimed)
        return CycleResult(recorded, advanced, claimed, now)

    def _record(self, results: Sequence[Result]) -> list[Recorded]:
        try:
            return list(self._queue.record(results))
        except (Busy, Unavailable):
            raise
        except Exception:
            if len(results) > 1:
                return [each for result in results for each in self._record([result])]
            self._texts.log.exception(self._texts.unrecordable, **self._queue.log_fields(results[0]))
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

    def _renew(self) -> None:
        now, lease = self._clock.seconds(), self._queue.lease_seconds
        if 0 <= now - self._renewed_at < lease / _RENEWAL_CHECKS:
            return
        self._renewed_at = now
        due = [
            flight
            for flight in list(self._in_flight.values())
            if not 0 <= now - flight.leased_at < 2 * lease / _RENEWAL_CHECKS
        ]
        if due:
            self._queue.renew([flight.work for flight in due], now)
        for flight in due:
            flight.leased_at = now

    def _report_backlog(self) -> None:
        now = self._clock.seconds()
        if self._backlog_at is None or not 0 <= now - self._backlog_at < BACKLOG_SECONDS:
            self._observer.set_backlog(*self._queue.backlog())
            self._backlog_at = now

    def _report(self, recorded: Sequence[Recorded], lost: int) -> None:
        counts = Counter(each.outcome for each in recorded)
        for name, count in (counts | Counter(lost=lost)).items():
            self._observer.count_attempts(name, count)
        for each in recorded:
            if each.seconds is not None:
                self._observer.observe_seconds(each.seconds)

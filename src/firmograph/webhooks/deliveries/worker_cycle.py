"""What a deliverer does at the database, again and again: record, end, fan out, take."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol, TypeVar

import structlog

from firmograph.kit.clock import Clock
from firmograph.kit.errors import Busy, Unavailable
from firmograph.webhooks.deliveries.error_log import Troubles
from firmograph.webhooks.deliveries.queue import Queue
from firmograph.webhooks.deliveries.result import Recorded
from firmograph.webhooks.types import STATUS_NAMES, Attempt, Outcome, Status

log = structlog.get_logger("firmograph.webhooks")

TOLD_SECONDS: Final = 10.0
"""How often it is told what waits."""

T = TypeVar("T")


class MakesDeliveries(Protocol):
    def step(self) -> int:
        """Make deliveries of some new signals; 0 when there were none."""
        ...


class Told(Protocol):
    """Who is told of what came of attempts."""

    def count_attempts(self, outcome: str, count: int) -> None: ...

    def observe_delivery(self, seconds: float) -> None: ...

    def set_backlog(self, deliveries: int, signals: int) -> None: ...


class Cycled(NamedTuple):
    """What a cycle did."""

    ended: int
    """Attempts that were recorded."""
    made: int
    """Signals that were passed, and deliveries that were ended."""
    taken: Sequence[Attempt]
    """To send now."""
    taken_at: float

    @property
    def moved(self) -> bool:
        """Whether there may be more to do at once."""
        return bool(self.ended or self.made or self.taken)


class Cycle:
    """One cycle after the other, in one thread. Others may note meanwhile what ended."""

    def __init__(
        self, queue: Queue, fan_out: MakesDeliveries, clock: Clock, told: Told, troubles: Troubles
    ) -> None:
        self._queue = queue
        self._fan_out = fan_out
        self._clock = clock
        self._told = told
        self._troubles = troubles
        self._told_at: float | None = None
        self.ended: list[Outcome] = []
        """Attempts that wait to be recorded."""
        self.unsent: list[Attempt] = []
        """What could not be sent, and waits to be given back."""

    @property
    def is_waiting(self) -> bool:
        return bool(self.ended or self.unsent)

    def record(self) -> int:
        """Record what ended; how many attempts. Raises Busy and Unavailable, and nothing is lost by that.

        What ended stays until it is recorded, and what is recorded twice counts once.
        """
        unsent = list(self.unsent)
        self._queue.give_back(unsent)
        del self.unsent[: len(unsent)]
        outcomes = list(self.ended)
        recorded = self._recorded(outcomes)
        del self.ended[: len(outcomes)]
        self._tell(recorded, len(outcomes) - len(recorded))
        return len(outcomes)

    def run(self, free: int) -> Cycled:
        """Record what ended, and take up to `free` to send. Raises Busy and Unavailable."""
        ended = self.record()
        made = self._part("ending", self._queue.end_cancelled, 0)
        made += self._part("fan-out", self._fan_out.step, 0)
        self._part("watching", self._tell_waiting, None)
        now = self._clock.seconds()
        nothing: list[Attempt] = []
        taken = self._part("taking", lambda: self._queue.take(free, now), nothing) if free > 0 else nothing
        return Cycled(ended, made, taken, now)

    def _recorded(self, outcomes: Sequence[Outcome]) -> list[Recorded]:
        try:
            return self._queue.record(outcomes)
        except (Busy, Unavailable):
            raise
        except Exception:
            if len(outcomes) > 1:
                return [each for outcome in outcomes for each in self._recorded([outcome])]
            payload_id = outcomes[0].attempt.payload_id
            log.exception("a delivery cannot be recorded; it will be sent again", payload=payload_id)
            return []

    def _part(self, name: str, work: Callable[[], T], otherwise: T) -> T:
        """What fails does not keep the rest from going on."""
        try:
            done = work()
        except (Busy, Unavailable):
            raise
        except Exception as error:
            self._troubles.met(name, error)
            return otherwise
        self._troubles.over(name)
        return done

    def _tell_waiting(self) -> None:
        now = self._clock.seconds()
        if self._told_at is None or not 0 <= now - self._told_at < TOLD_SECONDS:
            self._told.set_backlog(*self._queue.backlog())
            self._told_at = now

    def _tell(self, recorded: Sequence[Recorded], lost: int) -> None:
        counts = Counter(STATUS_NAMES[each.status] for each in recorded)
        for name, count in (counts | Counter(lost=lost)).items():
            self._told.count_attempts(name, count)
        for each in recorded:
            if each.seconds is not None:
                self._told.observe_delivery(each.seconds)
            if each.status is not Status.SUCCESS:
                _log_failed(each)


def _log_failed(recorded: Recorded) -> None:
    attempt, sent, _ = recorded.outcome
    blocked = recorded.status is Status.PERMANENT_FAILURE
    tell = log.warning if blocked else log.info
    tell(
        "a webhook failed for good; its subscription is disabled" if blocked else "a webhook failed",
        payload=attempt.payload_id,
        subscription=attempt.subscription,
        status=sent.status_code,
        reason=sent.error,
        failed=recorded.lane.attempts + 1,
    )

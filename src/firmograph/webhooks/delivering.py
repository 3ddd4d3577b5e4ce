"""The deliverer: takes what is due of the queue, sends it, and records what came of it (decisions G).

It has a thread with an event loop, in which everything is sent, and a second one for the database. A cycle of the
latter records what ended, makes deliveries of new signals, and takes as many as may go; meanwhile the loop goes on
sending, so a slow receiver holds up nobody. Whatever is lost with the process is sent again once its lease has run out.
"""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from typing import Final, NamedTuple, Protocol, TypeVar

import structlog
import uvloop

from firmograph.kit.clock import Clock
from firmograph.kit.errors import Busy, Unavailable
from firmograph.webhooks.queue import Queue
from firmograph.webhooks.recording import Recorded
from firmograph.webhooks.types import STATUS_NAMES, Attempt, Outcome, Sent, Status

log = structlog.get_logger("firmograph.webhooks")

SLOTS: Final = 400
"""Deliveries that one worker has in flight (decisions G, Bounds)."""

POLL_SECONDS: Final = 0.1
"""How often it looks for something to deliver while nothing ends: three reads of an index."""

_GATHER_SECONDS: Final = 0.01
"""Between two cycles while there is much to do: what ends meanwhile is recorded together."""

_TROUBLE_SECONDS: Final = 0.5
"""Between two tries while the database is away."""

_LATE_SECONDS: Final = 1.0
"""An attempt that begins so long after it was taken may be another worker's by now: the process was suspended."""

_GIVE_UP_SECONDS: Final = 10.0
"""How long ending waits for a database that is away."""

T = TypeVar("T")


class Sends(Protocol):
    async def send(self, url: str, payload_id: str, secret: str, body: bytes) -> Sent:
        """Raises OSError when nothing was sent, for a reason on this side."""
        ...


class MakesDeliveries(Protocol):
    def step(self) -> int:
        """Make deliveries of some new signals; 0 when there were none."""
        ...


class Told(Protocol):
    """Who is told of what came of attempts."""

    def attempts_ended(self, outcome: str, count: int) -> None: ...

    def delivered(self, seconds: float) -> None: ...


class _Step(NamedTuple):
    """What a cycle of the database did."""

    ended: int
    """Attempts that were recorded."""
    made: int
    """Signals that were passed, and deliveries that were ended."""
    taken: list[Attempt]
    taken_at: float


class Deliverer:
    """Delivers, in threads of its own from `start` to `stop`, or until nothing is due."""

    def __init__(
        self,
        queue: Queue,
        fan_out: MakesDeliveries,
        sender: Callable[[], AbstractAsyncContextManager[Sends]],
        clock: Clock,
        told: Told,
    ) -> None:
        """`sender` is entered in the loop in which it sends."""
        self._queue = queue
        self._fan_out = fan_out
        self._sender = sender
        self._clock = clock
        self._told = told
        self._database = ThreadPoolExecutor(1, "webhooks-database")
        self._sending: set[asyncio.Task[None]] = set()
        self._ended: list[Outcome] = []
        self._unsent: list[Attempt] = []
        self._troubles: dict[str, type[Exception]] = {}
        self._stop = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    @property
    def in_flight(self) -> int:
        return len(self._sending)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Take no more, wait for what is in flight, and record it."""
        self._stop = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake.set)
        if self._thread.ident is not None:
            self._thread.join()
        self._database.shutdown()

    async def run_until_idle(self) -> int:
        """Deliver what is due, and what becomes due by that; how many attempts ended.

        Raises Busy and Unavailable when the database stays away.
        """
        return await self._work(until_idle=True)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            try:
                runner.run(self._work(until_idle=False))
            except (Busy, Unavailable):
                log.warning("not everything that was delivered is recorded: it will be delivered again")

    async def _work(self, *, until_idle: bool) -> int:
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        count, well_at = 0, time.monotonic()
        async with self._sender() as sender:
            while True:
                self._wake.clear()
                try:
                    ended, moved = await self._cycle(sender)
                except (Busy, Unavailable) as error:
                    if (self._stop or until_idle) and time.monotonic() > well_at + _GIVE_UP_SECONDS:
                        raise
                    self._tell_trouble("database", error)
                    await asyncio.sleep(_TROUBLE_SECONDS)
                    continue
                self._tell_over("database")
                count, well_at = count + ended, time.monotonic()
                if not (self._sending or self._ended or self._unsent) and (
                    self._stop or (until_idle and not moved)
                ):
                    return count
                await self._pause(moved)

    async def _pause(self, moved: bool) -> None:
        if moved:
            await asyncio.sleep(_GATHER_SECONDS)
            return
        try:
            async with asyncio.timeout(POLL_SECONDS):
                await self._wake.wait()
        except TimeoutError:
            pass

    async def _cycle(self, sender: Sends) -> tuple[int, bool]:
        """How many attempts ended, and whether there may be more to do at once."""
        loop = asyncio.get_running_loop()
        done = await loop.run_in_executor(self._database, self._step, SLOTS - len(self._sending))
        for attempt in done.taken:
            task = loop.create_task(self._send(sender, attempt, done.taken_at))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)
        return done.ended, bool(done.ended or done.made or done.taken)

    async def _send(self, sender: Sends, attempt: Attempt, taken_at: float) -> None:
        try:
            at = self._clock.seconds()
            if at > taken_at + _LATE_SECONDS and not await self._is_still_held(attempt):
                self._told.attempts_ended("lost", 1)
                return
            sent = await sender.send(attempt.url, attempt.payload_id, attempt.secret, attempt.body)
        except Exception as error:
            self._unsent.append(attempt)
            self._tell_trouble("sending", error)
        else:
            self._ended.append(Outcome(attempt, sent, at))
            self._tell_over("sending")
        finally:
            self._wake.set()

    async def _is_still_held(self, attempt: Attempt) -> bool:
        loop = asyncio.get_running_loop()
        return bool(await loop.run_in_executor(self._database, self._queue.still_held, [attempt]))

    # --- in the thread of the database ---

    def _step(self, free: int) -> _Step:
        ended = self._record_ended()
        if self._stop:
            return _Step(ended, 0, [], 0.0)
        made = self._part("ending", self._queue.end_cancelled, 0)
        made += self._part("fan-out", self._fan_out.step, 0)
        now = self._clock.seconds()
        nothing: list[Attempt] = []
        taken = self._part("taking", lambda: self._queue.take(free, now), nothing) if free else nothing
        return _Step(ended, made, taken, now)

    def _record_ended(self) -> int:
        """What ended stays until it is recorded, and what is recorded twice counts once."""
        unsent = list(self._unsent)
        self._queue.give_back(unsent)
        del self._unsent[: len(unsent)]
        outcomes = list(self._ended)
        recorded = self._record(outcomes)
        del self._ended[: len(outcomes)]
        self._tell(recorded, len(outcomes) - len(recorded))
        return len(outcomes)

    def _record(self, outcomes: Sequence[Outcome]) -> list[Recorded]:
        try:
            return self._queue.record(outcomes)
        except (Busy, Unavailable):
            raise
        except Exception:
            if len(outcomes) > 1:
                return [each for outcome in outcomes for each in self._record([outcome])]
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
            self._tell_trouble(name, error)
            return otherwise
        self._tell_over(name)
        return done

    def _tell(self, recorded: Sequence[Recorded], lost: int) -> None:
        counts = Counter(STATUS_NAMES[each.status] for each in recorded)
        for name, count in (counts | Counter(lost=lost)).items():
            self._told.attempts_ended(name, count)
        for each in recorded:
            if each.seconds is not None:
                self._told.delivered(each.seconds)
            if each.status is not Status.SUCCESS:
                _log_failed(each)

    def _tell_trouble(self, name: str, error: Exception) -> None:
        """Once, not at every try until it is over."""
        if self._troubles.get(name) is type(error):
            return
        self._troubles[name] = type(error)
        if isinstance(error, (Busy, Unavailable)):
            log.warning(
                "webhooks wait for the database and will go on by themselves", reason=type(error).__name__
            )
        else:
            log.exception(
                "a part of the work on webhooks fails; it is tried again", part=name, exc_info=error
            )

    def _tell_over(self, name: str) -> None:
        if self._troubles.pop(name, None):
            log.info("the work on webhooks goes on", part=name)


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

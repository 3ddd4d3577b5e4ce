"""Runner of claimed work: claims rows of a queue, works on them and records the results.

Work is done in an event loop. A separate thread runs database cycles and passes claimed work to the loop. Neither
waits for the other, so slow work delays no other. Work lost with the process is done again when its lease expires.
Work longer than a third of its lease is renewed while it lasts, so it has time limits of its own.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Final, Generic, Protocol, TypeVar

import uvloop

from firmograph.jobs.claimed_queue import ClaimedQueue, ClaimedWork, Recorded, Result, Work
from firmograph.jobs.runner_cycle import CycleResult, RunnerCycle, RunnerObserver, RunnerTexts, Step
from firmograph.kit.clock import Clock

POLL_SECONDS: Final = 0.1
"""Interval between two polls while nothing happens; a poll of webhooks reads an index four times."""

_IDLE_FACTOR: Final = 10
"""Pause as a multiple of the poll's own time, for databases where polls are slow."""
_MAX_POLL_SECONDS: Final = 1.0
_POLL_SAMPLES: Final = 3
"""Slow polls in a row before the pause grows, as a single one may have waited for a lock."""

_GATHER_SECONDS: Final = 0.01
"""Pause between two cycles under load, so that results are recorded in batches."""

_ERROR_PAUSE_SECONDS: Final = 0.5
"""Pause before a retry while the database is unavailable."""

_LATE_SECONDS: Final = 1.0
"""Delay after which a claim is checked before the work begins: the process may have been suspended."""

_GIVE_UP_SECONDS: Final = 10.0
"""Time that a stopping runner waits for an unavailable database."""

_Given = TypeVar("_Given", bound=ClaimedWork, contravariant=True)
_Made = TypeVar("_Made", covariant=True)


class Performer(Protocol[_Given, _Made]):
    """Does claimed work in the event loop, without the database."""

    async def perform(self, work: _Given) -> _Made:
        """Do the work. An exception means that this machine failed: the work is given back without a result."""
        ...


class Runner(Generic[Work, Result, Recorded]):
    """Worker on one claimed queue, with threads of its own.

    It runs from `start` to `stop`, or until nothing is due.
    """

    def __init__(
        self,
        queue: ClaimedQueue[Work, Result, Recorded],
        performer: Callable[[], AbstractAsyncContextManager[Performer[Work, Result]]],
        clock: Clock,
        observer: RunnerObserver,
        texts: RunnerTexts,
        *,
        slots: int,
        steps: dict[str, Step] | None = None,
    ) -> None:
        """Create a runner of at most `slots` works at once; it enters `performer` in its event loop.

        `steps` are other work of the same kind at the database, done in each cycle before rows are claimed.
        """
        self._queue = queue
        self._performer = performer
        self._clock = clock
        self._observer = observer
        self._texts = texts
        self._slots = slots
        self._errors = texts.make_error_log()
        self._cycle = RunnerCycle(queue, steps or {}, clock, observer, texts, self._errors)
        self._cycles = ThreadPoolExecutor(1, f"{texts.name}-cycle")
        self._claim_checks = ThreadPoolExecutor(1, f"{texts.name}-look")
        self._wake = threading.Event()
        self._poll_times: deque[float] = deque(maxlen=_POLL_SAMPLES)
        self._stop = False
        self._thread = threading.Thread(target=self._run, name=texts.name, daemon=True)

    @property
    def in_flight(self) -> int:
        return self._cycle.in_flight

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop claiming, wait for work in flight and record it."""
        self._stop = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._cycles.shutdown()
        self._claim_checks.shutdown()

    async def run_until_idle(self) -> int:
        """Do what is due and what becomes due by that; return the number of recorded attempts.

        Raises Busy and Unavailable when the database stays unavailable.
        """
        return await self._work(until_idle=True)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            try:
                runner.run(self._work(until_idle=False))
            except Exception as error:
                self._texts.log.warning(self._texts.unfinished, reason=type(error).__name__)

    async def _work(self, *, until_idle: bool) -> int:
        loop = asyncio.get_running_loop()
        async with self._performer() as performer:
            tasks: set[asyncio.Task[None]] = set()

            def begin(cycled: CycleResult[Work]) -> None:
                for work in cycled.claimed:
                    task = loop.create_task(self._perform(performer, work, cycled.claimed_at))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)

            def hand_over(cycled: CycleResult[Work]) -> None:
                loop.call_soon_threadsafe(begin, cycled)

            try:
                return await loop.run_in_executor(self._cycles, self._run_cycles, until_idle, hand_over)
            except asyncio.CancelledError:
                # the event loop ends at once, without waiting for the threads
                self._stop = True
                self._cycle.drop_all()
                self._wake.set()
                raise

    async def _perform(self, performer: Performer[Work, Result], work: Work, claimed_at: float) -> None:
        try:
            if self._clock.seconds() > claimed_at + _LATE_SECONDS and not await self._is_still_claimed(work):
                self._observer.count_attempts("lost", 1)
                return
            result = await performer.perform(work)
        except Exception as error:
            self._cycle.fail(work)
            self._errors.failed(error, part=self._texts.act)
        else:
            self._cycle.finish(work, result)
            self._errors.recovered(part=self._texts.act)
        finally:
            self._cycle.drop(work)
            self._wake.set()

    async def _is_still_claimed(self, work: Work) -> bool:
        loop = asyncio.get_running_loop()
        return bool(await loop.run_in_executor(self._claim_checks, self._queue.still_claimed, [work]))

    # --- database thread ---

    def _run_cycles(self, until_idle: bool, hand_over: Callable[[CycleResult[Work]], None]) -> int:
        """Run cycles until stopped or idle; return the number of recorded attempts."""
        count, last_success = 0, time.monotonic()
        while True:
            self._wake.clear()
            began = time.monotonic()
            try:
                cycled = self._run_cycle()
            except Exception as error:
                if (self._stop or until_idle) and time.monotonic() > last_success + _GIVE_UP_SECONDS:
                    raise
                self._errors.failed(error, part="cycle")
                time.sleep(_ERROR_PAUSE_SECONDS)
                continue
            self._errors.recovered(part="cycle")
            last_success = time.monotonic()
            count += cycled.recorded
            if cycled.claimed:
                hand_over(cycled)
            if self._is_done(until_idle, cycled.has_more):
                return count
            self._pause(cycled.has_more, last_success - began)

    def _run_cycle(self) -> CycleResult[Work]:
        if self._stop:
            return CycleResult(self._cycle.record(), 0, (), 0.0)
        return self._cycle.run(self._slots - self._cycle.in_flight)

    def _is_done(self, until_idle: bool, has_more: bool) -> bool:
        return self._cycle.is_idle and (self._stop or (until_idle and not has_more))

    def _pause(self, has_more: bool, seconds: float) -> None:
        if has_more:
            self._poll_times.clear()
            time.sleep(_GATHER_SECONDS)
            return
        self._poll_times.append(seconds)
        fastest = min(self._poll_times) if len(self._poll_times) == _POLL_SAMPLES else 0.0
        self._wake.wait(min(max(POLL_SECONDS, _IDLE_FACTOR * fastest), _MAX_POLL_SECONDS))


class ThreadedPerformer(Generic[Work, Result]):
    """Performer of a plain function in threads, for work that does not wait for sockets."""

    def __init__(self, function: Callable[[Work], Result], threads: int, name: str) -> None:
        self._function = function
        self._pool = ThreadPoolExecutor(threads, name)

    async def __aenter__(self) -> "ThreadedPerformer[Work, Result]":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def perform(self, work: Work) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._function, work)

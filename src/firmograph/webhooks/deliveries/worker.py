"""Delivery worker: claims due deliveries, sends them and records the results.

See docs/reference/webhooks.md#delivery.

Deliveries are sent in an event loop. A separate thread runs database cycles and passes claimed attempts to the loop.
Neither waits for the other, so a slow receiver delays nobody. Attempts lost with the process are sent again when their
lease expires.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol

import structlog
import uvloop

from firmograph.database.leases import Claim
from firmograph.kit.clock import Clock
from firmograph.webhooks.deliveries.worker_cycle import (
    CycleResult,
    DeliveryObserver,
    MakesDeliveries,
    Queue,
    WorkerCycle,
    make_error_log,
)
from firmograph.webhooks.types import Attempt, AttemptResult, SendResult

log = structlog.get_logger("firmograph.webhooks")

SLOTS: Final = 400
"""Deliveries that one worker may have in flight."""

POLL_SECONDS: Final = 0.1
"""Interval between two polls while nothing happens; a poll reads an index four times."""

_IDLE_FACTOR: Final = 10
"""Pause as a multiple of the poll's own time, for databases where many subscriptions wait for credits."""
_MAX_POLL_SECONDS: Final = 1.0
_POLL_SAMPLES: Final = 3
"""Slow polls in a row before the pause grows, as a single one may have waited for a lock."""

_GATHER_SECONDS: Final = 0.01
"""Pause between two cycles under load, so that results are recorded in batches."""

_ERROR_PAUSE_SECONDS: Final = 0.5
"""Pause before a retry while the database is unavailable."""

_LATE_SECONDS: Final = 1.0
"""Delay after which a claim is checked before sending: the process may have been suspended."""

_GIVE_UP_SECONDS: Final = 10.0
"""Time that a stopping worker waits for an unavailable database."""


class SendsDeliveries(Protocol):
    """The HTTP client, as far as a worker needs it."""

    async def send(self, url: str, payload_id: str, secret: str, body: bytes) -> SendResult:
        """Send one delivery. Raises OSError when nothing was sent because of a local error."""
        ...


class DeliveryWorker:
    """Delivery worker with threads of its own.

    It runs from `start` to `stop`, or until nothing is due.
    """

    def __init__(
        self,
        queue: Queue,
        fan_out: MakesDeliveries,
        sender: Callable[[], AbstractAsyncContextManager[SendsDeliveries]],
        clock: Clock,
        observer: DeliveryObserver,
    ) -> None:
        """Create a worker; it enters `sender` in the event loop that sends."""
        self._queue = queue
        self._sender = sender
        self._clock = clock
        self._observer = observer
        self._errors = make_error_log()
        self._cycle = WorkerCycle(queue, fan_out, clock, observer, self._errors)
        self._cycles = ThreadPoolExecutor(1, "webhooks-cycle")
        self._claim_checks = ThreadPoolExecutor(1, "webhooks-look")
        # filled by the database thread, emptied by the event loop
        self._sending: set[Claim[int]] = set()
        self._wake = threading.Event()
        self._poll_times: deque[float] = deque(maxlen=_POLL_SAMPLES)
        self._stop = False
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    @property
    def in_flight(self) -> int:
        return len(self._sending)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop claiming, wait for attempts in flight and record them."""
        self._stop = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._cycles.shutdown()
        self._claim_checks.shutdown()

    async def run_until_idle(self) -> int:
        """Deliver what is due and what becomes due by that; return the number of attempts.

        Raises Busy and Unavailable when the database stays unavailable.
        """
        return await self._work(until_idle=True)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            try:
                runner.run(self._work(until_idle=False))
            except Exception as error:
                reason = type(error).__name__
                log.warning("last deliveries are not recorded and will be sent again", reason=reason)

    async def _work(self, *, until_idle: bool) -> int:
        loop = asyncio.get_running_loop()
        async with self._sender() as sender:
            tasks: set[asyncio.Task[None]] = set()

            def begin(cycled: CycleResult) -> None:
                for attempt in cycled.claimed:
                    task = loop.create_task(self._send(sender, attempt, cycled.claimed_at))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)

            def hand_over(cycled: CycleResult) -> None:
                loop.call_soon_threadsafe(begin, cycled)

            try:
                return await loop.run_in_executor(self._cycles, self._run_cycles, until_idle, hand_over)
            except asyncio.CancelledError:
                # the runner ends at once, without waiting for the threads
                self._stop = True
                self._sending.clear()
                self._wake.set()
                raise

    async def _send(self, sender: SendsDeliveries, attempt: Attempt, claimed_at: float) -> None:
        try:
            at = self._clock.seconds()
            if at > claimed_at + _LATE_SECONDS and not await self._is_still_claimed(attempt):
                self._observer.count_attempts("lost", 1)
                return
            result = await sender.send(attempt.url, attempt.payload_id, attempt.secret, attempt.body)
        except Exception as error:
            self._cycle.unsent.append(attempt)
            self._errors.failed(error, part="send")
        else:
            self._cycle.results.append(AttemptResult(attempt, result, at))
            self._errors.recovered(part="send")
        finally:
            self._sending.discard(attempt.claim)
            self._wake.set()

    async def _is_still_claimed(self, attempt: Attempt) -> bool:
        loop = asyncio.get_running_loop()
        return bool(await loop.run_in_executor(self._claim_checks, self._queue.still_claimed, [attempt]))

    # --- database thread ---

    def _run_cycles(self, until_idle: bool, hand_over: Callable[[CycleResult], None]) -> int:
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
                self._sending.update(attempt.claim for attempt in cycled.claimed)
                hand_over(cycled)
            if self._is_done(until_idle, cycled.has_more):
                return count
            self._pause(cycled.has_more, last_success - began)

    def _run_cycle(self) -> CycleResult:
        if self._stop:
            return CycleResult(self._cycle.record(), 0, (), 0.0)
        return self._cycle.run(SLOTS - len(self._sending))

    def _is_done(self, until_idle: bool, has_more: bool) -> bool:
        if self._sending or self._cycle.has_pending:
            return False
        return self._stop or (until_idle and not has_more)

    def _pause(self, has_more: bool, seconds: float) -> None:
        if has_more:
            self._poll_times.clear()
            time.sleep(_GATHER_SECONDS)
            return
        self._poll_times.append(seconds)
        fastest = min(self._poll_times) if len(self._poll_times) == _POLL_SAMPLES else 0.0
        self._wake.wait(min(max(POLL_SECONDS, _IDLE_FACTOR * fastest), _MAX_POLL_SECONDS))

"""The deliverer: takes what is due of the queue, sends it, and records what came of it (decisions G).

Everything is sent in an event loop. Beside it a thread goes through one cycle at the database after the other
(`cycling.py`), and hands the loop what it took. Neither waits for the other, so a slow receiver holds up nobody.
Whatever is lost with the process is sent again once its lease has run out.
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
from firmograph.webhooks.deliveries.error_log import Troubles
from firmograph.webhooks.deliveries.queue import Queue
from firmograph.webhooks.deliveries.worker_cycle import Cycle, Cycled, MakesDeliveries, Told
from firmograph.webhooks.types import Attempt, Outcome, Sent

log = structlog.get_logger("firmograph.webhooks")

SLOTS: Final = 400
"""Deliveries that one worker has in flight (decisions G, Bounds)."""

POLL_SECONDS: Final = 0.1
"""How often it looks for something to deliver while nothing ends: four reads of an index."""

_IDLE_SHARE: Final = 10
_LONGEST_SECONDS: Final = 1.0
_SLOW_LOOKS: Final = 3
"""It waits that many times as long as looking took, where very many lanes wait for credits or for each other: where
that many looks in a row were slow, as one of them may have stood behind something else."""

_GATHER_SECONDS: Final = 0.01
"""Between two cycles while there is much to do: what ends meanwhile is recorded together."""

_TROUBLE_SECONDS: Final = 0.5
"""Between two tries while the database is away."""

_LATE_SECONDS: Final = 1.0
"""An attempt that begins so long after it was taken may be another worker's by now: the process was suspended."""

_GIVE_UP_SECONDS: Final = 10.0
"""How long ending waits for a database that is away."""


class Sends(Protocol):
    async def send(self, url: str, payload_id: str, secret: str, body: bytes) -> Sent:
        """Raises OSError when nothing was sent, for a reason on this side."""
        ...


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
        self._sender = sender
        self._clock = clock
        self._told = told
        self._troubles = Troubles()
        self._cycle = Cycle(queue, fan_out, clock, told, self._troubles)
        self._cycling = ThreadPoolExecutor(1, "webhooks-cycle")
        self._looking = ThreadPoolExecutor(1, "webhooks-look")
        # added to by the one thread, and taken from by the other
        self._sending: set[Claim[int]] = set()
        self._wake = threading.Event()
        self._looks: deque[float] = deque(maxlen=_SLOW_LOOKS)
        self._stop = False
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    @property
    def in_flight(self) -> int:
        return len(self._sending)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Take no more, wait for what is in flight, and record it."""
        self._stop = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._cycling.shutdown()
        self._looking.shutdown()

    async def run_until_idle(self) -> int:
        """Deliver what is due, and what becomes due by that; how many attempts ended.

        Raises Busy and Unavailable when the database stays away.
        """
        return await self._work(until_idle=True)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            try:
                runner.run(self._work(until_idle=False))
            except Exception as error:
                reason = type(error).__name__
                log.warning("what was delivered last is not recorded and will be sent again", reason=reason)

    async def _work(self, *, until_idle: bool) -> int:
        loop = asyncio.get_running_loop()
        async with self._sender() as sender:
            tasks: set[asyncio.Task[None]] = set()

            def begin(cycled: Cycled) -> None:
                for attempt in cycled.taken:
                    task = loop.create_task(self._send(sender, attempt, cycled.taken_at))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)

            def hand_over(cycled: Cycled) -> None:
                loop.call_soon_threadsafe(begin, cycled)

            try:
                return await loop.run_in_executor(self._cycling, self._go_on, until_idle, hand_over)
            except asyncio.CancelledError:
                # whoever runs this ends at once
                self._stop = True
                self._sending.clear()
                self._wake.set()
                raise

    async def _send(self, sender: Sends, attempt: Attempt, taken_at: float) -> None:
        try:
            at = self._clock.seconds()
            if at > taken_at + _LATE_SECONDS and not await self._is_still_held(attempt):
                self._told.count_attempts("lost", 1)
                return
            sent = await sender.send(attempt.url, attempt.payload_id, attempt.secret, attempt.body)
        except Exception as error:
            self._cycle.unsent.append(attempt)
            self._troubles.met("sending", error)
        else:
            self._cycle.ended.append(Outcome(attempt, sent, at))
            self._troubles.over("sending")
        finally:
            self._sending.discard(attempt.claim)
            self._wake.set()

    async def _is_still_held(self, attempt: Attempt) -> bool:
        loop = asyncio.get_running_loop()
        return bool(await loop.run_in_executor(self._looking, self._queue.still_held, [attempt]))

    # --- in the thread of the database ---

    def _go_on(self, until_idle: bool, hand_over: Callable[[Cycled], None]) -> int:
        """One cycle after the other; how many attempts ended."""
        count, well_at = 0, time.monotonic()
        while True:
            self._wake.clear()
            began = time.monotonic()
            try:
                cycled = self._next()
            except Exception as error:
                if (self._stop or until_idle) and time.monotonic() > well_at + _GIVE_UP_SECONDS:
                    raise
                self._troubles.met("cycle", error)
                time.sleep(_TROUBLE_SECONDS)
                continue
            self._troubles.over("cycle")
            well_at = time.monotonic()
            count += cycled.ended
            if cycled.taken:
                self._sending.update(attempt.claim for attempt in cycled.taken)
                hand_over(cycled)
            if self._is_done(until_idle, cycled.moved):
                return count
            self._pause(cycled.moved, well_at - began)

    def _next(self) -> Cycled:
        if self._stop:
            return Cycled(self._cycle.record(), 0, (), 0.0)
        return self._cycle.run(SLOTS - len(self._sending))

    def _is_done(self, until_idle: bool, moved: bool) -> bool:
        if self._sending or self._cycle.is_waiting:
            return False
        return self._stop or (until_idle and not moved)

    def _pause(self, moved: bool, took: float) -> None:
        if moved:
            self._looks.clear()
            time.sleep(_GATHER_SECONDS)
            return
        self._looks.append(took)
        least = min(self._looks) if len(self._looks) == _SLOW_LOOKS else 0.0
        self._wake.wait(min(max(POLL_SECONDS, _IDLE_SHARE * least), _LONGEST_SECONDS))

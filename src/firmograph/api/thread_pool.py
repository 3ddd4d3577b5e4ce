"""Thread pool for requests that would block the event loop.

Each such request pays for a switch to a thread and back. `SimpleQueue` (implemented in C) and one callback to the event
loop are the cheapest way to do it; the futures of an executor cost twice as much.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from queue import SimpleQueue
from typing import Any, TypeVar

import anyio

from firmograph.kit.errors import Busy

T = TypeVar("T")

WAIT_SECONDS = 5.0
"""Time a request waits for a thread before 503, the same as for the database writer."""

WRITER_THREADS = 8
"""Concurrent charging calls. They wait only for the single database writer; each thread holds a connection and its
cache."""

READER_THREADS = 4
"""Concurrent long reads. They are bound by the processors, so more threads would not make them faster."""

CALLER_THREADS = 16
"""Concurrent calls when each request waits for another machine, over the connection of its thread."""

WRITERS_PER_KEY = 4
"""Maximum of the caller threads that charge for one API key. Charges of one account wait for each other anyway, for
seconds if a hanging node holds the account's writer; they must not occupy the threads of all other accounts."""

_Job = tuple["asyncio.Future[Any]", Callable[[], Any]]


class ThreadPool:
    """Pool of at most `count` threads, each with its own database connection.

    Threads are started on demand and end with `close`.
    """

    def __init__(self, count: int) -> None:
        self._turns = anyio.CapacityLimiter(count)
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._started = 0
        self._count = count

    async def run(self, work: Callable[[], T]) -> T:
        """Run `work` in a thread and return its result.

        Raises Busy, without running it, when no thread becomes free within `WAIT_SECONDS`.
        """
        turn = object()
        try:
            self._turns.acquire_on_behalf_of_nowait(turn)
        except anyio.WouldBlock:
            await self._wait(turn)
        try:
            if self._started < self._count and self._started < self._turns.borrowed_tokens:
                self._start()
            done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
            self._jobs.put((done, work))
            return await done
        finally:
            self._turns.release_on_behalf_of(turn)

    def close(self) -> None:
        """End the threads once they have done what they were given; later work starts new ones."""
        for _ in range(self._started):
            self._jobs.put(None)
        self._started = 0

    async def _wait(self, turn: object) -> None:
        try:
            with anyio.fail_after(WAIT_SECONDS):
                await self._turns.acquire_on_behalf_of(turn)
        except TimeoutError as error:
            raise Busy from error

    def _start(self) -> None:
        name = f"request {self._started + 1}"
        threading.Thread(target=_run_jobs, args=(self._jobs,), name=name, daemon=True).start()
        # incremented after the start: if a thread cannot be started, a later request tries again
        self._started += 1


def _run_jobs(jobs: "SimpleQueue[_Job | None]") -> None:
    while (job := jobs.get()) is not None:
        done, work = job
        result: Any = None
        failure: BaseException | None = None
        try:
            result = work()
        except StopIteration as error:
            # futures refuse StopIteration, so the request would wait for ever
            failure = RuntimeError("a call raised StopIteration")
            failure.__cause__ = error
        except BaseException as error:
            failure = error
        try:
            done.get_loop().call_soon_threadsafe(_resolve, done, result, failure)
        except RuntimeError:
            return  # the event loop has ended, so nobody waits for the result
        # keep no reference to a request while waiting for the next one
        del job, done, work, result, failure


def _resolve(done: "asyncio.Future[Any]", result: Any, failure: BaseException | None) -> None:
    if done.done():
        return
    if failure is None:
        done.set_result(result)
    else:
        done.set_exception(failure)


class RequestThreads:
    """Thread pools shared by all endpoints."""

    def __init__(self) -> None:
        self.writers = ThreadPool(WRITER_THREADS)
        self.readers = ThreadPool(READER_THREADS)
        self.callers = ThreadPool(CALLER_THREADS)
        self.writers_per_key = _WritersPerKey()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """End the threads of all pools at the end of the context."""
        try:
            yield
        finally:
            for pool in (self.writers, self.readers, self.callers):
                pool.close()


class _WritersPerKey:
    """Counter of running charging calls per API key in the pool `callers`."""

    def __init__(self) -> None:
        self._running: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def reserve(self, key: str) -> Iterator[bool]:
        """Reserve a place for the duration of the block; yield False when the key has used up its places."""
        with self._lock:
            available = self._running[key] < WRITERS_PER_KEY
            self._running[key] += available
        try:
            yield available
        finally:
            with self._lock:
                self._running[key] -= available
                if not self._running[key]:
                    del self._running[key]

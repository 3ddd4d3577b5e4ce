"""Threads that answer requests, so that the event loop waits for nothing.

A hop to a thread and back is a fixed cost of each request that takes one, so it is made of the two cheapest things that
there are for it: a queue of C, and one call back to the loop. An executor's futures cost twice as much.
"""

import asyncio
import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

import anyio

from firmograph.kit.errors import Busy

T = TypeVar("T")

WAIT_SECONDS = 5.0
"""How long a request waits for a thread before 503: as long as for a writer of the database (decisions B)."""

_Job = tuple["asyncio.Future[Any]", Callable[[], Any]]


class Threads:
    """At most so many calls at once; each thread keeps a connection of its own to the database.

    Threads are started as they are needed, and end when this is no longer held.
    """

    def __init__(self, count: int) -> None:
        self._turns = anyio.CapacityLimiter(count)
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._started = 0
        self._count = count
        weakref.finalize(self, _end, self._jobs, count)

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns. Raises Busy, with nothing run, when no thread comes free within `WAIT_SECONDS`."""
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

    async def _wait(self, turn: object) -> None:
        try:
            with anyio.fail_after(WAIT_SECONDS):
                await self._turns.acquire_on_behalf_of(turn)
        except TimeoutError as error:
            raise Busy from error

    def _start(self) -> None:
        name = f"request {self._started + 1}"
        threading.Thread(target=_answer, args=(self._jobs,), name=name, daemon=True).start()
        # counted only once it runs: without memory for it there is a later request that tries again
        self._started += 1


def _answer(jobs: "SimpleQueue[_Job | None]") -> None:
    while (job := jobs.get()) is not None:
        done, work = job
        result: Any = None
        failure: BaseException | None = None
        try:
            result = work()
        except StopIteration as error:
            # the one exception that a future does not take; whoever waits for it would wait for ever
            failure = RuntimeError("a call raised StopIteration")
            failure.__cause__ = error
        except BaseException as error:
            failure = error
        try:
            done.get_loop().call_soon_threadsafe(_settle, done, result, failure)
        except RuntimeError:
            return  # the loop has ended, and with it whoever waited
        # nothing of a request is held while there is no other
        del job, done, work, result, failure


def _settle(done: "asyncio.Future[Any]", result: Any, failure: BaseException | None) -> None:
    if done.done():
        return
    if failure is None:
        done.set_result(result)
    else:
        done.set_exception(failure)


def _end(jobs: "SimpleQueue[_Job | None]", count: int) -> None:
    for _ in range(count):
        jobs.put(None)

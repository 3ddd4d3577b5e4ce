"""Threads that answer requests, so that the event loop waits for nothing."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import anyio

from firmograph.kit.errors import Busy

T = TypeVar("T")

WAIT_SECONDS = 5.0
"""How long a request waits for a thread before 503: as long as for a writer of the database (decisions B)."""


class Threads:
    """At most so many calls at once; each thread keeps a connection of its own to the database."""

    def __init__(self, count: int) -> None:
        self._executor = ThreadPoolExecutor(count, thread_name_prefix="request")
        self._turns = anyio.CapacityLimiter(count)

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns. Raises Busy, with nothing run, when no thread comes free within `WAIT_SECONDS`."""
        turn = object()
        try:
            self._turns.acquire_on_behalf_of_nowait(turn)
        except anyio.WouldBlock:
            await self._wait(turn)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        finally:
            self._turns.release_on_behalf_of(turn)

    async def _wait(self, turn: object) -> None:
        try:
            with anyio.fail_after(WAIT_SECONDS):
                await self._turns.acquire_on_behalf_of(turn)
        except TimeoutError as error:
            raise Busy from error

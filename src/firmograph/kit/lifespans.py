"""Lifespan of work in a thread: as long as the server process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import anyio.to_thread


class RunsInThread(Protocol):
    """Work in threads of its own between `start` and `stop`."""

    def start(self) -> None: ...

    def stop(self) -> None: ...


@asynccontextmanager
async def running(work: RunsInThread) -> AsyncIterator[None]:
    """Run work as long as the context; its end waits for the work without blocking the event loop."""
    work.start()
    try:
        yield
    finally:
        await anyio.to_thread.run_sync(work.stop)

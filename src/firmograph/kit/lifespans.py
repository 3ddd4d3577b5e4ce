"""Lifespans of a server process: work in threads, and regular saving of what it keeps in memory."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

import anyio
import anyio.to_thread
import structlog

from firmograph.kit.errors import Busy, DatabaseLost

log = structlog.get_logger("firmograph.app")


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


@asynccontextmanager
async def saving_regularly(subject: str, seconds: float, save: Callable[[], None]) -> AsyncIterator[None]:
    """Call `save` in a thread at this interval and at the end; a failure is logged and the next call tries again.

    `subject` names what is saved in the log, in the plural.
    """

    async def save_now() -> None:
        try:
            await anyio.to_thread.run_sync(save)
        except Busy:
            log.warning(f"{subject} are not saved yet: another process is writing to the database")
        except DatabaseLost:
            return
        except Exception:
            log.warning(f"{subject} were not saved", exc_info=True)

    async def keep_saving() -> None:
        while True:
            await anyio.sleep(seconds)
            await save_now()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(keep_saving)
        yield
        tasks.cancel_scope.cancel()
    await save_now()

"""Saving of rate limit counters while a server process runs, so that a restart does not forget them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
import structlog

from firmograph.database.connection import COUNTERS, Database
from firmograph.kit.errors import Busy, DatabaseLost
from firmograph.rate_limits.windows import RateLimiter

log = structlog.get_logger("firmograph.app")


@asynccontextmanager
async def save_counters(limits: RateLimiter, database: Database) -> AsyncIterator[None]:
    """Load the counters of an earlier process; save them regularly and at shutdown."""

    def start() -> None:
        with database.read() as session:
            limits.start(session)

    def save() -> None:
        if limits.unsaved():
            with database.write(COUNTERS) as session:
                limits.save(session)

    async def save_now() -> None:
        try:
            await anyio.to_thread.run_sync(save)
        except Busy:
            log.warning("rate limit counters are not saved yet: another process is writing to the database")
        except DatabaseLost:
            return
        except Exception:
            log.warning("rate limit counters were not saved", exc_info=True)

    async def keep_saving() -> None:
        while True:
            await anyio.sleep(limits.save_seconds)
            await save_now()

    await anyio.to_thread.run_sync(start)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keep_saving)
            yield
            tasks.cancel_scope.cancel()
        await save_now()
    finally:
        await anyio.to_thread.run_sync(limits.stop)

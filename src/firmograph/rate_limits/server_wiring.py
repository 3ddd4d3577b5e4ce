"""Parts of a server for rate limits: the limiter, and its counters over restarts."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

import anyio.to_thread

from firmograph.api.metrics import Metrics
from firmograph.database.connection import COUNTERS, Database
from firmograph.installation import Installation, ServerWiring, Services
from firmograph.kit.lifespans import saving_regularly
from firmograph.rate_limits.factory import create_rate_limiter
from firmograph.rate_limits.windows import RateLimiter


def _limiter(installation: Installation) -> RateLimiter:
    return create_rate_limiter(
        installation.settings,
        installation.database,
        installation.clock,
        installation.get(Metrics),
        installation.counter_file,
    )


@asynccontextmanager
async def _save_counters(limits: RateLimiter, database: Database) -> AsyncIterator[None]:
    """Load the counters of an earlier process; save them regularly and at shutdown, so that no restart forgets them."""

    def start() -> None:
        with database.read() as session:
            limits.start(session)

    def save() -> None:
        if limits.unsaved():
            with database.write(COUNTERS) as session:
                limits.save(session)

    await anyio.to_thread.run_sync(start)
    try:
        async with saving_regularly("rate limit counters", limits.save_seconds, save):
            yield
    finally:
        await anyio.to_thread.run_sync(limits.stop)


def _lifespans(installation: Installation) -> Sequence[AbstractAsyncContextManager[None]]:
    return [_save_counters(installation.get(RateLimiter), installation.database)]


SERVICES: Final[Services] = {RateLimiter: _limiter}
SERVER: Final = ServerWiring(lifespans=_lifespans)

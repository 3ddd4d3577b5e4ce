"""The application, put together in one function."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio
import anyio.to_thread
import structlog
from litestar import Litestar

from firmograph import __version__
from firmograph.accounts import routes as accounts_routes
from firmograph.accounts.gate import Gate
from firmograph.accounts.idempotency import Idempotency
from firmograph.accounts.limits import LocalLimits
from firmograph.accounts.plans import load_plans
from firmograph.accounts.purchases import Purchases
from firmograph.directory.identity import Digests
from firmograph.enrichment import routes as enrichment_routes
from firmograph.enrichment.service import enrichment
from firmograph.kit.clock import Clock, SystemClock
from firmograph.kit.database import Database
from firmograph.kit.errors import Busy
from firmograph.kit.keyring import Keyring
from firmograph.kit.tokens import Tokens
from firmograph.settings import Settings
from firmograph.wire import pages
from firmograph.wire.endpoint import Endpoint
from firmograph.wire.handling import Door, error_handlers, handlers
from firmograph.wire.metrics import Metrics

log = structlog.get_logger("firmograph.app")

SAVE_SECONDS = 1.0
"""How often the counters of rate limits are written down (decisions C, State)."""


def create_app(
    settings: Settings, database: Database, keyring: Keyring, clock: Clock | None = None
) -> Litestar:
    """The service over a database whose schema is prepared, under the keyring it was written with."""
    clock = clock or SystemClock()
    meters = Metrics(__version__)
    tokens, digests = Tokens(keyring), Digests(keyring)

    limits = LocalLimits(clock)
    gate = Gate(database, load_plans(settings.plans_file), limits, settings.can_reveal)
    purchases = Purchases(clock, settings.repeat_reveal_days)
    idempotency = Idempotency(clock, settings.idempotency_hours)
    enriching = enrichment(database, tokens, digests, purchases, idempotency, settings)

    endpoints: list[Endpoint] = [
        *enrichment_routes.routes(enriching.contacts, enriching.companies),
        *accounts_routes.routes(database, limits),
        pages.health(__version__),
    ]
    endpoints += pages.docs(endpoints, version=__version__, max_body_bytes=settings.max_body_bytes)
    endpoints += [pages.metrics(meters, settings.metrics_token)]
    door = Door(
        gate=gate,
        clock=clock,
        metrics=meters,
        max_body_bytes=settings.max_body_bytes,
        max_body_depth=settings.max_body_depth,
    )
    return Litestar(
        route_handlers=handlers(endpoints, door),
        exception_handlers=error_handlers(meters),
        lifespan=[_saving(limits, database)],
        openapi_config=None,
        logging_config=None,
    )


def _saving(
    limits: LocalLimits, database: Database
) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    """Takes up the counters of an earlier process, saves them each second and at shutdown."""

    def save() -> None:
        if limits.unsaved():
            with database.write() as session:
                limits.save(session)

    async def save_now() -> None:
        try:
            await anyio.to_thread.run_sync(save)
        except Busy:
            log.warning("rate limit counters are not saved yet: another process is writing to the database")
        except Exception:
            log.warning("rate limit counters were not saved", exc_info=True)

    async def keep_saving() -> None:
        while True:
            await anyio.sleep(SAVE_SECONDS)
            await save_now()

    @asynccontextmanager
    async def saving(app: Litestar) -> AsyncIterator[None]:
        with database.read() as session:
            limits.load(session)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keep_saving)
            yield
            tasks.cancel_scope.cancel()
        await save_now()

    return saving

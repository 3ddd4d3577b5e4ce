"""The application, put together in one function."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import anyio
import anyio.to_thread
import structlog
from litestar import Litestar
from litestar.datastructures import State

from firmograph import __version__
from firmograph.accounts import routes as accounts_routes
from firmograph.accounts.authentication import ApiKeyAuthenticator
from firmograph.api import docs_and_health
from firmograph.api.dispatch import Dispatcher, exception_handlers, route_handlers
from firmograph.api.endpoint import Endpoint
from firmograph.api.https_policy import make_https_policy
from firmograph.api.metrics import Metrics
from firmograph.billing.charged_call import ChargedCalls
from firmograph.billing.idempotency import Idempotency
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.plans import load_plans
from firmograph.database.connection import COUNTERS, Database
from firmograph.directory.identity import Digests
from firmograph.enrichment import routes as enrichment_routes
from firmograph.enrichment.service import build_enrichment
from firmograph.jobs.periodic_jobs import periodic_jobs
from firmograph.jobs.scheduler import JobWorker
from firmograph.kit.clock import Clock, SystemClock
from firmograph.kit.errors import Busy
from firmograph.legacy import signal_routes as legacy_signal_routes
from firmograph.legacy.identified import RecordFinder
from firmograph.legacy.signals import LegacySignals
from firmograph.prospecting import routes as prospecting_routes
from firmograph.prospecting.discovery.service import Discovery
from firmograph.prospecting.engines.memory.follower import IndexFollower
from firmograph.prospecting.indexing.active_engine import SearchIndex
from firmograph.prospecting.service import Prospecting
from firmograph.rate_limits.factory import create_rate_limiter
from firmograph.rate_limits.windows import RateLimiter
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.settings import Settings
from firmograph.signal_score import routes as score_routes
from firmograph.signal_score.companies import CompanyScoring
from firmograph.signal_score.contacts import ContactScoring
from firmograph.signal_score.service import SignalScore
from firmograph.signals import routes as signal_routes
from firmograph.signals.calls import SignalsCalls
from firmograph.signals.event_renderer import EventRenderer as SignalRenderer
from firmograph.signals.hiring_locations import HiringLocations
from firmograph.signals.service import SignalsService
from firmograph.signals.topics import load_topics
from firmograph.webhooks.audit import routes as audit_routes
from firmograph.webhooks.audit.service import Audit
from firmograph.webhooks.factory import make_delivery_worker
from firmograph.webhooks.sending.client import Sender
from firmograph.webhooks.sending.secrets import make_secrets
from firmograph.webhooks.subscriptions import routes as webhook_routes
from firmograph.webhooks.subscriptions.service import Subscriptions
from firmograph.webhooks.test_delivery import service as test_delivery

log = structlog.get_logger("firmograph.app")


def create_app(
    settings: Settings,
    database: Database,
    keyring: Keyring,
    clock: Clock | None = None,
    *,
    shared: str | None = None,
    background: bool = True,
) -> Litestar:
    """Build the service over a prepared database, with the keyring it was written with.

    `shared` names the counters that the workers of one `serve` share (`rate_limits/shared_memory.py`).
    `background` does the work of `firmograph worker` here as well, in a thread.
    """
    clock = clock or SystemClock()
    meters = Metrics(__version__)
    tokens, digests = RecordIds(keyring), Digests(keyring)

    limits = create_rate_limiter(settings, database, clock, meters, shared)
    plans = load_plans(settings.plans_file)
    gate = ApiKeyAuthenticator(database, plans, limits, settings.can_reveal)
    purchases = PaidUnits(clock, settings.repeat_reveal_days)
    charged_calls = ChargedCalls(database, Idempotency(clock, settings.idempotency_hours), purchases)
    enriching = build_enrichment(database, tokens, digests, purchases, charged_calls, settings)

    index = SearchIndex()
    follower = IndexFollower(database, index, clock, settings.search_folder)
    previews = {Entity.CONTACT: enriching.contacts.previews, Entity.COMPANY: enriching.companies.previews}
    prospecting = Prospecting(database, index, tokens, digests, charged_calls, previews)
    meters.watch_search(lambda: index.applied, lambda: index.head)

    shown_signals = SignalRenderer(tokens)
    signals = SignalsService(
        database,
        shown_signals,
        charged_calls,
        enriching.lookup.restricted_numbers,
        settings.repeat_reveal_days,
    )
    signal_calls = SignalsCalls(signals, shown_signals, enriching.query_reader.numbers, clock)
    identified = RecordFinder(enriching.query_reader, enriching.lookup)
    legacy_signals = LegacySignals(signals, shown_signals, tokens, identified, clock)
    scores = SignalScore(
        database,
        clock,
        charged_calls,
        ContactScoring(enriching.query_reader, enriching.lookup, tokens),
        CompanyScoring(enriching.query_reader, enriching.lookup, tokens),
    )
    secrets = make_secrets(keyring)
    subscriptions = Subscriptions(database, tokens, secrets, settings)
    sender = Sender(settings, clock)
    tester = test_delivery.DeliveryTester(
        database, clock, shown_signals, secrets, sender, settings.webhook_max_signal_age
    )

    endpoints: list[Endpoint] = [
        *enrichment_routes.routes(enriching.contacts, enriching.companies),
        *prospecting_routes.routes(prospecting, Discovery(database, index, tokens)),
        *signal_routes.routes(
            signal_calls, HiringLocations(database), load_topics(settings.topics_file).categories
        ),
        *score_routes.routes(scores),
        *legacy_signal_routes.routes(legacy_signals),
        *webhook_routes.routes(subscriptions),
        *test_delivery.routes(tester),
        *audit_routes.routes(Audit(database, digests)),
        *accounts_routes.routes(database, limits),
        docs_and_health.health_endpoint(
            __version__, lambda: docs_and_health.SearchHealth(index.state, index.applied, index.head)
        ),
    ]
    endpoints += docs_and_health.docs_endpoints(
        endpoints, version=__version__, max_body_bytes=settings.max_body_bytes
    )
    endpoints += [docs_and_health.metrics_endpoint(meters, settings.metrics_token)]
    dispatcher = Dispatcher(
        authenticator=gate,
        clock=clock,
        metrics=meters,
        max_body_bytes=settings.max_body_bytes,
        max_body_depth=settings.max_body_depth,
        authenticates_remotely=not database.embedded or bool(settings.redis_url),
        https_policy=make_https_policy(settings),
    )
    lifespan = [_saving(limits, database), _running(follower), _entered(sender)]
    if background:
        lifespan.append(_running(JobWorker(database, clock, periodic_jobs(plans), meters.count_job)))
        deliverer = make_delivery_worker(settings, database, keyring, clock, plans, meters)
        meters.watch_deliveries(lambda: deliverer.in_flight)
        lifespan.append(_running(deliverer))
    return Litestar(
        route_handlers=route_handlers(endpoints, dispatcher),
        exception_handlers=exception_handlers(meters),
        lifespan=lifespan,
        openapi_config=None,
        logging_config=None,
        state=State({"index": index, "meters": meters}),
    )


class _Runs(Protocol):
    """Something with a thread of its own."""

    def start(self) -> None: ...

    def stop(self) -> None: ...


def _running(what: _Runs) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    """Run a follower or a worker as long as the application."""

    @asynccontextmanager
    async def running(app: Litestar) -> AsyncIterator[None]:
        what.start()
        try:
            yield
        finally:
            await anyio.to_thread.run_sync(what.stop)

    return running


def _entered(sender: Sender) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    """Run the sender of test deliveries in the loop that serves them."""

    @asynccontextmanager
    async def entered(app: Litestar) -> AsyncIterator[None]:
        async with sender:
            yield

    return entered


def _saving(
    limits: RateLimiter, database: Database
) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
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
        except Exception:
            log.warning("rate limit counters were not saved", exc_info=True)

    async def keep_saving() -> None:
        while True:
            await anyio.sleep(limits.save_seconds)
            await save_now()

    @asynccontextmanager
    async def saving(app: Litestar) -> AsyncIterator[None]:
        await anyio.to_thread.run_sync(start)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(keep_saving)
                yield
                tasks.cancel_scope.cancel()
            await save_now()
        finally:
            await anyio.to_thread.run_sync(limits.stop)

    return saving

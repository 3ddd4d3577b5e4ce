"""Factory of the delivery worker, for `serve`, `worker` and tests."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from random import Random

from firmograph.billing.plans import Plans
from firmograph.database.connection import Database
from firmograph.directory.identity import Digests
from firmograph.jobs.retry_policy import parse_retry_policy
from firmograph.jobs.runner_cycle import RunnerObserver
from firmograph.kit.clock import Clock
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import RecordIds
from firmograph.settings import Settings
from firmograph.signals.event_renderer import EventRenderer
from firmograph.webhooks.deliveries.claim import Claimer, DeliveryPrices
from firmograph.webhooks.deliveries.composer import Composer
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.deliveries.queue import Queue
from firmograph.webhooks.deliveries.result import ResultRecorder
from firmograph.webhooks.deliveries.worker import DeliveryWorker, SendsDeliveries, create_delivery_worker
from firmograph.webhooks.opt_outs.service import OptOuts
from firmograph.webhooks.sending.client import Sender
from firmograph.webhooks.sending.secrets import make_secrets


class _NoObserver:
    """Observer that ignores all figures."""

    def count_attempts(self, outcome: str, count: int) -> None:
        pass

    def observe_seconds(self, seconds: float) -> None:
        pass

    def set_backlog(self, *figures: int) -> None:
        pass


def make_queue(
    settings: Settings,
    database: Database,
    keyring: Keyring,
    clock: Clock,
    plans: Plans,
    random: Random | None = None,
) -> Queue:
    """Build a queue; `random` is the source of the jitter. Raises Refused for invalid settings."""
    prices = DeliveryPrices(plans)
    composer = Composer(EventRenderer(RecordIds(keyring)), OptOuts(keyring))
    claimer = Claimer(database, prices, make_secrets(keyring), composer)
    retries = parse_retry_policy(settings.webhook_retry_seconds, "FIRMOGRAPH_WEBHOOK_RETRY_SECONDS", random)
    recorder = ResultRecorder(database, clock, retries)
    return Queue(database, clock, claimer, recorder)


def make_delivery_worker(
    settings: Settings,
    database: Database,
    keyring: Keyring,
    clock: Clock,
    plans: Plans,
    observer: RunnerObserver | None = None,
    *,
    sender: Callable[[], AbstractAsyncContextManager[SendsDeliveries]] | None = None,
) -> DeliveryWorker:
    """Build a worker; `sender` replaces the HTTP client. Raises Refused for invalid settings."""
    client = Sender(settings, clock)
    return create_delivery_worker(
        make_queue(settings, database, keyring, clock, plans),
        FanOut(database, clock, plans, Digests(keyring), settings.webhook_max_signal_age),
        sender or (lambda: client),
        clock,
        observer or _NoObserver(),
    )

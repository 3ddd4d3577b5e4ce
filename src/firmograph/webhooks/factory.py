"""The deliverer of an installation, put together: for `serve`, for `worker`, and for tests."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from random import Random

from firmograph.billing.plans import Plans
from firmograph.database.connection import Database
from firmograph.directory.identity import Digests
from firmograph.kit.clock import Clock
from firmograph.security.keyring import Keyring
from firmograph.security.record_ids import Tokens
from firmograph.settings import Settings
from firmograph.signals.render import Renderer
from firmograph.webhooks.deliveries.claim import Prices, Taking
from firmograph.webhooks.deliveries.composer import Composer
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.deliveries.queue import Queue
from firmograph.webhooks.deliveries.result import Recording
from firmograph.webhooks.deliveries.retry_policy import read_retries
from firmograph.webhooks.deliveries.worker import Deliverer, Sends
from firmograph.webhooks.deliveries.worker_cycle import Told
from firmograph.webhooks.opt_outs.service import OptOuts
from firmograph.webhooks.sending.client import Sender
from firmograph.webhooks.sending.secrets import webhook_secrets


class _Untold:
    """Where nobody counts."""

    def count_attempts(self, outcome: str, count: int) -> None:
        pass

    def observe_delivery(self, seconds: float) -> None:
        pass

    def set_backlog(self, deliveries: int, signals: int) -> None:
        pass


def make_queue(
    settings: Settings,
    database: Database,
    keyring: Keyring,
    clock: Clock,
    plans: Plans,
    random: Random | None = None,
) -> Queue:
    """`random` is that of the jitter. Raises Refused for settings that cannot be used."""
    prices = Prices(plans)
    composer = Composer(Renderer(Tokens(keyring)), OptOuts(keyring))
    taking = Taking(database, prices, webhook_secrets(keyring), composer)
    recording = Recording(database, clock, read_retries(settings.webhook_retry_seconds, random))
    return Queue(database, clock, taking, recording)


def make_deliverer(
    settings: Settings,
    database: Database,
    keyring: Keyring,
    clock: Clock,
    plans: Plans,
    told: Told | None = None,
    *,
    sender: Callable[[], AbstractAsyncContextManager[Sends]] | None = None,
) -> Deliverer:
    """Raises Refused for settings that cannot be used. `sender` makes what sends in place of the real one."""
    real = Sender(settings, clock)
    return Deliverer(
        make_queue(settings, database, keyring, clock, plans),
        FanOut(database, clock, plans, Digests(keyring), settings.webhook_max_signal_age),
        sender or (lambda: real),
        clock,
        told or _Untold(),
    )

"""Workers' queues on a `World`, with made-up answers of receivers."""

from collections.abc import Callable, Sequence
from random import Random
from threading import Thread
from typing import TypeVar

import sqlalchemy as sa
from msgspec import structs
from webhook_fixtures import CONTACT, TODAY, World, move

from firmograph.billing import ledger
from firmograph.billing.paid_units import record_paid
from firmograph.billing.types import signal_unit
from firmograph.database.connection import AccountSession, account_scope
from firmograph.security.encryption import Encryptor
from firmograph.settings import Settings
from firmograph.signals.events import Detected
from firmograph.signals.tables import signals
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.deliveries.queue import Queue
from firmograph.webhooks.deliveries.result import RecordedResult
from firmograph.webhooks.factory import make_queue
from firmograph.webhooks.types import Attempt, AttemptResult, SendResult
from record_factory import DIGESTS, KEYRING

OK = SendResult(200, 12, None, b'{"received":true}', response_ms=11)
FAILED = SendResult(500, 12, "The receiver answered 500")
GONE = SendResult(410, 12, "The receiver answered 410")
SILENT = SendResult(None, 10_000, "No answer within 10 seconds")

T = TypeVar("T")

_identity = sa.select(signals.c.identity).where(signals.c.id == sa.bindparam("id"))

_set_body = sa.text("UPDATE deliveries SET held = 0, body = :body WHERE payload_id = :id")


class QueueWorld:
    """Two workers' queues on a `World`; retries wait 1, 5 and 25 seconds and up to a quarter more."""

    def __init__(self, world: World, **settings: object) -> None:
        self.world = world
        self.settings = Settings(**settings)
        self.fan_out = FanOut(world.database, world.clock, world.plans, DIGESTS, 30)
        self.first, self.second = self.queue(), self.queue()
        self.without_retries = self.queue(webhook_retry_seconds="")
        """A queue whose deliveries fail permanently at their first failure."""

    def queue(self, **changed: object) -> Queue:
        """Return the queue of one more worker."""
        world, settings = self.world, structs.replace(self.settings, **changed)
        return make_queue(settings, world.database, KEYRING, world.clock, world.plans, Random(1))

    def fan_out_signals(self, *detected: Detected) -> None:
        """Detect signals and create their deliveries."""
        self.world.detect(*detected)
        while self.fan_out.step():
            pass

    def claim(self, most: int = 400, *, queue: Queue | None = None) -> list[Attempt]:
        return (queue or self.first).claim(most, self.world.clock.seconds())

    def results(self, attempts: Sequence[Attempt], send_result: SendResult = OK) -> list[AttemptResult]:
        return [AttemptResult(attempt, send_result, self.world.clock.seconds()) for attempt in attempts]

    def record(
        self, attempts: Sequence[Attempt], send_result: SendResult = OK, *, queue: Queue | None = None
    ) -> list[RecordedResult]:
        return (queue or self.first).record(self.results(attempts, send_result))

    def deliver(self, send_result: SendResult = OK, *, most: int = 400) -> list[Attempt]:
        """Claim due deliveries once and record the same answer for all of them."""
        attempts = self.claim(most)
        self.record(attempts, send_result)
        return attempts

    def give_up(self, attempts: Sequence[Attempt] | None = None) -> list[Attempt]:
        """Let these attempts, or all due ones, fail permanently."""
        given_up = self.claim() if attempts is None else list(attempts)
        self.record(given_up, GONE, queue=self.without_retries)
        return given_up

    def pay(self, account: int, signal_id: int) -> None:
        """Pay for a signal as a call of the account does."""
        now = self.world.clock.seconds()
        plan = self.world.plans.named("unlimited")
        with self.world.database.write(account_scope(account)) as session:
            (identity,) = session.one(_identity, {"id": signal_id})
            ledger.charge(AccountSession(session, account), plan, {"showSignalsCompany": 1}, "call", now)
            record_paid(AccountSession(session, account), [signal_unit(identity)], "call", now)

    def create_queues(self, count: int, url: str, account: int = 0, *, day: str = TODAY) -> None:
        """Create subscriptions of an account, each with one delivery and with its number in place of `{}` in the URL.

        A second account needs signals of another day, as those of the same day exist already.
        """
        for number in range(1, count + 1):
            self.world.subscribe(account, number, entity=CONTACT, url=url.format(number))
        self.fan_out_signals(*[move(number, day) for number in range(1, count + 1)])

    def run_in_thread(self, work: Callable[[], T]) -> T:
        """Run work in another thread, with a connection of its own, and return its result."""
        done: list[T] = []
        thread = Thread(target=lambda: done.append(work()))
        thread.start()
        thread.join()
        return done[0]

    def opt_out(self, token: str, body: bytes) -> str:
        """Create a delivery to an opt-out subscription and return its payload id."""
        payload_id = self.world.insert_delivery(token)
        sealed = Encryptor(KEYRING, "opt-outs").encrypt(body, payload_id.encode())
        with self.world.database.write(None) as session:
            session.execute(_set_body, {"body": sealed, "id": payload_id})
        return payload_id

    def ledger_kinds(self, account: int) -> list[str]:
        """Return the kinds of the account's ledger entries without grants."""
        return [entry.kind for entry in self.world.entries(account) if entry.kind != "grant"]

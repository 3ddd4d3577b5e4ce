"""Workers' queues on a world of webhooks: what they take, made-up answers to it, and what the tables say then."""

from collections.abc import Callable, Sequence
from random import Random
from threading import Thread
from typing import TypeVar

import sqlalchemy as sa
from msgspec import structs
from webhook_fixtures import CONTACT, TODAY, World, move

from firmograph.billing import ledger
from firmograph.database.connection import account_scope
from firmograph.security.encryption import Encryptor
from firmograph.settings import Settings
from firmograph.signals import paid_store
from firmograph.signals.events import Detected
from firmograph.signals.tables import signals
from firmograph.webhooks.deliveries.fan_out import FanOut
from firmograph.webhooks.deliveries.result import RecordedResult
from firmograph.webhooks.deliveries.worker_cycle import Queue
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
    """Around a `World`; retries come after 1, 5 and 25 seconds and up to a quarter more."""

    def __init__(self, world: World, **settings: object) -> None:
        self.world = world
        self.settings = Settings(**settings)
        self.fan_out = FanOut(world.database, world.clock, world.plans, DIGESTS, 30)
        self.first, self.second = self.queue(), self.queue()
        self.hasty = self.queue(webhook_retry_seconds="")
        """Of a worker that gives up what fails once."""

    def queue(self, **changed: object) -> Queue:
        """That of one more worker."""
        world, settings = self.world, structs.replace(self.settings, **changed)
        return make_queue(settings, world.database, KEYRING, world.clock, world.plans, Random(1))

    def tell(self, *detected: Detected) -> None:
        """Signals are detected, and deliveries made of them."""
        self.world.detect(*detected)
        while self.fan_out.step():
            pass

    def take(self, most: int = 400, *, queue: Queue | None = None) -> list[Attempt]:
        return (queue or self.first).claim(most, self.world.clock.seconds())

    def outcomes(self, attempts: Sequence[Attempt], sent: SendResult = OK) -> list[AttemptResult]:
        return [AttemptResult(attempt, sent, self.world.clock.seconds()) for attempt in attempts]

    def record(
        self, attempts: Sequence[Attempt], sent: SendResult = OK, *, queue: Queue | None = None
    ) -> list[RecordedResult]:
        return (queue or self.first).record(self.outcomes(attempts, sent))

    def deliver(self, sent: SendResult = OK, *, most: int = 400) -> list[Attempt]:
        """Take and record what is due, once."""
        attempts = self.take(most)
        self.record(attempts, sent)
        return attempts

    def give_up(self, attempts: Sequence[Attempt] | None = None) -> list[Attempt]:
        """What is due, or these attempts, fail for good."""
        given_up = self.take() if attempts is None else list(attempts)
        self.record(given_up, GONE, queue=self.hasty)
        return given_up

    def pay(self, account: int, signal_id: int) -> None:
        """A call of the account pays for a signal."""
        now = self.world.clock.seconds()
        plan = self.world.plans.named("unlimited")
        with self.world.database.write(account_scope(account)) as session:
            (identity,) = session.one(_identity, {"id": signal_id})
            ledger.charge(session, account, plan, {"showSignalsCompany": 1}, "call", now)
            paid_store.put_paid(session, account, [identity], now, "call")

    def lanes(self, count: int, url: str, account: int = 0, *, day: str = TODAY) -> None:
        """So many subscriptions of an account to one URL each, `{}` in it their number, with a delivery each.

        Of another account on another day: these signals are new."""
        for number in range(1, count + 1):
            self.world.subscribe(account, number, entity=CONTACT, url=url.format(number))
        self.tell(*[move(number, day) for number in range(1, count + 1)])

    def beside(self, work: Callable[[], T]) -> T:
        """Something done by another worker, while this one is in the middle of something."""
        done: list[T] = []
        thread = Thread(target=lambda: done.append(work()))
        thread.start()
        thread.join()
        return done[0]

    def opt_out(self, token: str, body: bytes) -> str:
        """The payload id of a new delivery to an opt-out subscription."""
        payload_id = self.world.deliver(token)
        sealed = Encryptor(KEYRING, "opt-outs").encrypt(body, payload_id.encode())
        with self.world.database.write(None) as session:
            session.execute(_set_body, {"body": sealed, "id": payload_id})
        return payload_id

    def kinds(self, account: int) -> list[str]:
        """Of the rows of the ledger, but for grants."""
        return [entry.kind for entry in self.world.entries(account) if entry.kind != "grant"]

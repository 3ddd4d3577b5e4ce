"""Delivery worker: the runner of the delivery queue, which sends what it claims.

See docs/reference/webhooks.md#delivery.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, Protocol

import structlog

from firmograph.jobs.runner import Runner
from firmograph.jobs.runner_cycle import RunnerObserver, RunnerTexts
from firmograph.kit.clock import Clock
from firmograph.webhooks.deliveries.queue import Queue
from firmograph.webhooks.deliveries.result import RecordedResult
from firmograph.webhooks.types import Attempt, AttemptResult, SendResult

SLOTS: Final = 400
"""Deliveries that one worker may have in flight."""

TEXTS: Final = RunnerTexts(
    log=structlog.get_logger("firmograph.webhooks"),
    name="webhooks",
    act="send",
    waiting="webhook worker is waiting for the database and will resume automatically",
    failed="part of the webhook worker failed and will be retried",
    recovered="part of the webhook worker has recovered",
    unrecordable="delivery result cannot be recorded; the delivery will be sent again",
    unfinished="last deliveries are not recorded and will be sent again",
)

DeliveryWorker = Runner[Attempt, AttemptResult, RecordedResult]


class MakesDeliveries(Protocol):
    """The fan-out, as far as a worker needs it."""

    def step(self) -> int:
        """Make deliveries for some new signals; return 0 when there were none."""
        ...


class SendsDeliveries(Protocol):
    """The HTTP client, as far as a worker needs it."""

    async def send(self, url: str, payload_id: str, secret: str, body: bytes) -> SendResult:
        """Send one delivery. Raises OSError when nothing was sent because of a local error."""
        ...


class _AttemptPerformer:
    """Performer of attempts by an HTTP client."""

    def __init__(self, sender: SendsDeliveries, clock: Clock) -> None:
        self._sender = sender
        self._clock = clock

    async def perform(self, attempt: Attempt) -> AttemptResult:
        sent_at = self._clock.seconds()
        result = await self._sender.send(attempt.url, attempt.payload_id, attempt.secret, attempt.body)
        return AttemptResult(attempt, result, sent_at)


def create_delivery_worker(
    queue: Queue,
    fan_out: MakesDeliveries,
    sender: Callable[[], AbstractAsyncContextManager[SendsDeliveries]],
    clock: Clock,
    observer: RunnerObserver,
    *,
    slots: int = SLOTS,
) -> DeliveryWorker:
    """Create a worker; it enters `sender` in the event loop that sends."""

    @asynccontextmanager
    async def performer() -> AsyncIterator[_AttemptPerformer]:
        async with sender() as entered:
            yield _AttemptPerformer(entered, clock)

    def make_deliveries() -> int:
        return fan_out.step()

    steps = {"cancel": queue.finish_cancelled, "fan-out": make_deliveries}
    return Runner(queue, performer, clock, observer, TEXTS, slots=slots, steps=steps)

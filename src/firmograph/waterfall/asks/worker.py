"""Worker of asks: the runner of the queue, which asks providers in an event loop."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import structlog

from firmograph.jobs.runner import Runner
from firmograph.jobs.runner_cycle import RunnerObserver, RunnerTexts
from firmograph.kit.clock import Clock
from firmograph.waterfall.asks.claim import AskTask
from firmograph.waterfall.asks.queue import AskQueue
from firmograph.waterfall.asks.result import AskResult, RecordedAsk
from firmograph.waterfall.providers.types import Providers
from firmograph.waterfall.types import DATA_POINTS

SLOTS: Final = 1_000
"""Asks that one worker has on their way at most; those that hang take a slot each until their time is over."""

TEXTS: Final = RunnerTexts(
    log=structlog.get_logger("firmograph.waterfall"),
    name="waterfall",
    act="ask",
    waiting="waterfall worker is waiting for the database and will resume automatically",
    failed="part of the waterfall worker failed and will be retried",
    recovered="part of the waterfall worker has recovered",
    unrecordable="answer of a provider cannot be recorded; it is asked again",
    unfinished="last answers of providers are not recorded; they are asked again",
)

AskWorker = Runner[AskTask, AskResult, RecordedAsk]


class AskPerformer:
    """Performer of asks."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def perform(self, task: AskTask) -> AskResult:
        """Ask the provider, when its rate allows it."""
        delay = task.starts_at - self._clock.seconds()
        if delay > 0:
            await asyncio.sleep(delay)
        ask, began = task.ask, time.monotonic()
        answer = await task.provider.ask(task.contact.person, DATA_POINTS[ask.data_point], ask.token)
        return AskResult(task, answer, time.monotonic() - began)


def create_ask_worker(
    queue: AskQueue, load_providers: Callable[[], Providers], clock: Clock, observer: RunnerObserver
) -> AskWorker:
    """Create a worker; it closes the providers at its end, in the event loop that asked them."""

    @asynccontextmanager
    async def performer() -> AsyncIterator[AskPerformer]:
        providers = load_providers()
        try:
            yield AskPerformer(clock)
        finally:
            await providers.close()

    return Runner(queue, performer, clock, observer, TEXTS, slots=SLOTS)

"""Queue of asks: claimed work (`jobs/claimed_queue.py`)."""

from collections.abc import Sequence

from firmograph.database.connection import Database
from firmograph.jobs.claimed_queue import ClaimedQueue
from firmograph.kit.clock import Clock
from firmograph.waterfall.asks import ask_store
from firmograph.waterfall.asks.ask_store import WaitingAsks
from firmograph.waterfall.asks.claim import AskClaimer, AskTask
from firmograph.waterfall.asks.result import AnswerRecorder, AskResult, RecordedAsk


class AskQueue(ClaimedQueue[AskTask, AskResult, RecordedAsk]):
    """Open asks of all accounts, shared by any number of workers."""

    def __init__(
        self, database: Database, clock: Clock, claimer: AskClaimer, recorder: AnswerRecorder
    ) -> None:
        super().__init__(database, clock, ask_store.leases)
        self._claimer = claimer
        self._recorder = recorder

    def claim(self, limit: int, now: float) -> list[AskTask]:
        return self._claimer.claim(limit, now)

    def record(self, results: Sequence[AskResult]) -> list[RecordedAsk]:
        return self._recorder.record(results)

    def log_fields(self, result: AskResult) -> dict[str, str]:
        return {"ask": result.task.ask.token, "provider": result.task.ask.provider}

    def backlog(self) -> WaitingAsks:
        with self._database.look() as session:
            return ask_store.backlog(session, self._clock.seconds())

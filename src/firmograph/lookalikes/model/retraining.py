"""Retraining: learns a new model in another process when the records have doubled.

One worker of an installation does so at a time. A model comes into force by one insert, so a killed worker leaves the
earlier one.
"""

import threading
from contextlib import suppress
from typing import Final

import structlog

from firmograph.database.connection import Database
from firmograph.jobs.role import HeldRole, RoleWorker
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Busy, Unavailable
from firmograph.kit.worker_process import ProcessFailed, ProcessStopped, run_in_process
from firmograph.lookalikes.model.training import insert_learnt, is_training_due, learn_in_process

log = structlog.get_logger("firmograph.lookalikes")

ROLE: Final = "similarity-model"
_CHECK_SECONDS: Final = 30.0
_RETRY_SECONDS: Final = 600.0
"""Pause after a failure, as learning takes minutes of a processor."""
_NICENESS: Final = 5
"""Priority that learning yields on a busy machine, as counted by `nice`."""


class Retraining:
    """Worker that checks every half minute whether a new model is due, and learns it."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._role = RoleWorker(database, clock, ROLE, self._step)
        self._stop = threading.Event()
        self._check_at = clock.seconds()
        self._learnt = 0

    def start(self) -> None:
        self._role.start()

    def stop(self) -> None:
        """End the thread, and the process that learns."""
        self._stop.set()
        self._role.stop()

    async def run_until_idle(self) -> int:
        """Learn a model if one is due and no other worker does; return the number of models learnt."""
        self._check_at, before = self._clock.seconds(), self._learnt
        self._role.step()
        self._role.release()
        return self._learnt - before

    def _step(self, role: HeldRole) -> float:
        """Learn a model if one is due; return the seconds until the next check."""
        now = self._clock.seconds()
        if now >= self._check_at:
            self._check_at = now + _CHECK_SECONDS
            if is_training_due(self._database.session()):
                self._learn(role)
        return max(self._check_at - self._clock.seconds(), 0.0)

    def _learn(self, role: HeldRole) -> None:
        def is_stopping() -> bool:
            # an import may hold the writer; the next renewal comes early enough, and the insert makes sure
            with suppress(Busy, Unavailable):
                role.renew()
            return self._stop.is_set()

        try:
            model = run_in_process(
                learn_in_process,
                self._database.url,
                name="similarity model",
                niceness=_NICENESS,
                is_stopping=is_stopping,
            )
        except ProcessStopped:
            return
        except ProcessFailed as error:
            self._check_at = self._clock.seconds() + _RETRY_SECONDS
            log.warning("learning a similarity model failed", reason=str(error))
            return
        with role.write(None) as session:
            self._learnt += insert_learnt(session, self._clock, model)

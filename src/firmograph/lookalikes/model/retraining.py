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
from firmograph.jobs.step_loop import run_steps
from firmograph.kit.clock import Clock
from firmograph.kit.error_log import ErrorLog
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
        self._role = RoleWorker(database, clock, ROLE, self._learn)
        self._learnt = 0
        self._has_failed = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=ROLE, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread, and the process that learns."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    async def run_until_idle(self) -> int:
        """Learn a model if one is due and no other worker does; return the number of models learnt."""
        return self.learn_if_due()

    def learn_if_due(self) -> int:
        """Learn a model, in a process that this waits for; return the number of models learnt, 0 or 1."""
        before = self._learnt
        if is_training_due(self._database.session()):
            # the role is claimed for one model only, as its lease is renewed by writing
            try:
                self._role.step()
            finally:
                self._role.release()
        return self._learnt - before

    def _learn(self, role: HeldRole) -> float:
        def is_stopping() -> bool:
            # an import may hold the writer; a later renewal is early enough, and the insert makes sure
            with suppress(Busy, Unavailable):
                role.renew()
            return self._stop.is_set()

        self._has_failed = True
        # another worker may have learnt it just before this one claimed the role
        if is_training_due(self._database.session()):
            try:
                model = run_in_process(
                    learn_in_process,
                    self._database.url,
                    name="similarity model",
                    niceness=_NICENESS,
                    is_stopping=is_stopping,
                )
            except ProcessStopped:
                return 0.0
            except ProcessFailed as error:
                log.warning("learning a similarity model failed", reason=str(error))
                return 0.0
            with role.write(None) as session:
                inserted = insert_learnt(session, self._clock, model)
            self._learnt += inserted
            log.info("similarity model learnt", number=model.number, in_force=inserted)
        self._has_failed = False
        return 0.0

    def _run(self) -> None:
        errors = ErrorLog(
            log,
            waiting="learning a similarity model is waiting for the database and will resume automatically",
            failed="learning a similarity model failed and will be tried again",
            recovered="learning a similarity model has recovered",
        )
        run_steps(self._step, self._stop, errors, retry_seconds=_CHECK_SECONDS)

    def _step(self) -> float:
        self.learn_if_due()
        return _RETRY_SECONDS if self._has_failed else _CHECK_SECONDS

"""Background work of lookalikes."""

from collections.abc import Sequence
from typing import Final

from firmograph.database.connection import Session
from firmograph.installation import BackgroundWork, Installation, WorkerWiring
from firmograph.jobs.scheduler import PeriodicJob
from firmograph.lookalikes.model.retraining import Retraining
from firmograph.lookalikes.sessions import delete_unused


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob]:
    def forget(session: Session, now: float) -> int:
        return delete_unused(session, now)

    # callers already treat an expired session as missing; this frees its rows
    return [PeriodicJob("forget-lookalike-sessions", 3_600.0, forget, "Delete expired lookalike sessions")]


def _background(installation: Installation) -> Sequence[BackgroundWork]:
    if not installation.settings.lookalikes:
        return []
    return [
        BackgroundWork(
            "similarity", "Similarity models learnt", Retraining(installation.database, installation.clock)
        )
    ]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs, background=_background)

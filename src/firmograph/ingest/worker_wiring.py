"""Background work of imports."""

from collections.abc import Sequence
from typing import Final

from firmograph.database.connection import Session
from firmograph.ingest.imports.runs import forget_old
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob]:
    days = installation.settings.import_undo_days

    def forget(session: Session, now: float) -> int:
        return forget_old(session, now, days, PART_ROWS)

    return [PeriodicJob("forget-former-rows", 3_600.0, forget, "Delete rows that no undo needs")]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)

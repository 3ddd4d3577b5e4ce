"""Background work of imports."""

from collections.abc import Sequence
from typing import Final

from firmograph.database.connection import Session
from firmograph.ingest.imports.runs import forget_old
from firmograph.ingest.retention import Retention
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob, ScopedJob


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob | ScopedJob]:
    days = installation.settings.import_undo_days

    def forget(session: Session, now: float) -> int:
        return forget_old(session, now, days, PART_ROWS)

    retention = installation.get(Retention)
    return [
        ScopedJob(
            "remove-unseen-contacts",
            86_400.0,
            retention.find_part,
            "Remove contacts that all their sources have left unseen",
        ),
        PeriodicJob("forget-former-rows", 3_600.0, forget, "Delete rows that no undo needs"),
    ]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)

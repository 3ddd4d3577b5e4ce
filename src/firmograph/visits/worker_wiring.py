"""Background work of website visits: the end of salts, and the retention."""

from collections.abc import Sequence
from typing import Final

from firmograph.database.connection import Session
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob
from firmograph.kit.clock import DAY_SECONDS
from firmograph.visits.deletion import delete_old_visits
from firmograph.visits.salts import destroy_due


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob]:
    days = installation.settings.retention_visit_days

    def forget(session: Session, now: float) -> int:
        return delete_old_visits(session, now, days, PART_ROWS)

    destroy = PeriodicJob("destroy-visit-salts", 3_600.0, destroy_due, "Destroy the salts of past quarters")
    if not days:
        return [destroy]
    return [
        destroy,
        PeriodicJob("forget-visits", DAY_SECONDS, forget, "Delete website visits past retention"),
    ]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)

"""Background work of accounts."""

from collections.abc import Sequence
from typing import Final

from firmograph.accounts.request_counts import delete_old_counts
from firmograph.database.connection import Session
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob]:
    def forget(session: Session, now: float) -> int:
        return delete_old_counts(session, now, PART_ROWS)

    return [PeriodicJob("forget-usage-days", 3_600.0, forget, "Delete counts of requests after 400 days")]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)

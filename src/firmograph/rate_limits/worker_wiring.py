"""Background work of rate limits."""

from collections.abc import Sequence
from typing import Final

from firmograph.database.connection import Session
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob
from firmograph.rate_limits.windows import delete_ended_windows


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob]:
    def forget(session: Session, now: float) -> int:
        return delete_ended_windows(session, now, PART_ROWS)

    # counters of accounts that call are overwritten; these belong to accounts that stopped calling
    return [PeriodicJob("forget-rate-counters", 3_600.0, forget, "Delete old counters of rate limits")]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)

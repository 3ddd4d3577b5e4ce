"""Background work of billing."""

from collections.abc import Sequence
from typing import Final

from firmograph.billing.idempotency import delete_expired_keys
from firmograph.database.connection import Session
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob]:
    def forget(session: Session, now: float) -> int:
        return delete_expired_keys(session, now, PART_ROWS)

    # callers already treat an expired key as missing; this frees its row
    return [PeriodicJob("forget-idempotency-keys", 600.0, forget, "Delete expired idempotency keys")]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)

"""Background work of billing."""

from collections.abc import Sequence
from typing import Final

from firmograph.billing.idempotency import delete_expired_keys
from firmograph.billing.ledger import delete_old_spending
from firmograph.database.connection import Session
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob]:
    def forget(session: Session, now: float) -> int:
        return delete_expired_keys(session, now, PART_ROWS)

    def forget_spending(session: Session, now: float) -> int:
        return delete_old_spending(session, now, PART_ROWS)

    return [
        # callers already treat an expired key as missing; this frees its row
        PeriodicJob("forget-idempotency-keys", 600.0, forget, "Delete expired idempotency keys"),
        PeriodicJob("forget-daily-spending", 3_600.0, forget_spending, "Delete what keys spent on past days"),
    ]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)

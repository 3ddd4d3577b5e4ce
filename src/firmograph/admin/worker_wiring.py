"""Background work of `/admin`."""

from collections.abc import Sequence
from typing import Final

from firmograph.admin import store
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob]:
    return [
        PeriodicJob(
            "forget-operator-calls",
            3_600.0,
            lambda session, now: store.delete_expired_calls(session, now, PART_ROWS),
            "Delete expired idempotency keys of operators",
        )
    ]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)

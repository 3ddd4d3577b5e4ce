"""Background work of imports."""

from collections.abc import Sequence
from typing import Final

from firmograph.database.connection import Session
from firmograph.ingest.imports.runs import forget_old
from firmograph.ingest.retention import Retention
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, JobPart, PeriodicJob, ScopedJob


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob | ScopedJob]:
    days = installation.settings.import_undo_days

    def forget(session: Session, now: float) -> int:
        return forget_old(session, now, days, PART_ROWS)

    def remove_unseen(session: Session, now: float) -> JobPart | None:
        # built when there is something to do: it needs the keyring
        is_on = installation.settings.retention_contact_days > 0
        return installation.get(Retention).find_part(session, now) if is_on else None

    return [
        ScopedJob(
            "remove-unseen-contacts",
            86_400.0,
            remove_unseen,
            "Remove contacts that all their sources have left unseen",
        ),
        PeriodicJob("forget-former-rows", 3_600.0, forget, "Delete rows that no undo needs"),
    ]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)

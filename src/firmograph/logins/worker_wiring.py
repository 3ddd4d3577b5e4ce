"""Background work of logins: deletion of ended sessions, expired links and old failures."""

from collections.abc import Sequence
from typing import Final

from firmograph.database.connection import Session
from firmograph.installation import Installation, WorkerWiring
from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob
from firmograph.logins import store
from firmograph.logins.service import IDLE_SECONDS, LONGEST_SECONDS
from firmograph.logins.throttle import SECONDS

_EVERY: Final = 3_600.0


def _end_sessions(session: Session, now: float) -> int:
    return store.delete_ended_sessions(session, now - IDLE_SECONDS, now - LONGEST_SECONDS, PART_ROWS)


def _drop_links(session: Session, now: float) -> int:
    return store.delete_expired_links(session, now, PART_ROWS)


def _forget_failures(session: Session, now: float) -> int:
    return store.delete_old_failures(session, now - SECONDS, PART_ROWS)


def _periodic_jobs(installation: Installation) -> Sequence[PeriodicJob]:
    return [
        PeriodicJob("end-sessions", _EVERY, _end_sessions, "Delete sessions of logins that have ended"),
        PeriodicJob("drop-links", _EVERY, _drop_links, "Delete one-time links that have expired"),
        PeriodicJob("forget-failures", _EVERY, _forget_failures, "Delete old failed attempts to sign in"),
    ]


WORKER: Final = WorkerWiring(periodic_jobs=_periodic_jobs)

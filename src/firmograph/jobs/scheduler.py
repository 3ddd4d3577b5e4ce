"""Scheduler of periodic jobs, one of any number on the same database.

Each job is done once in its period by whichever worker claims it first, in parts. A part is one short transaction that
ends by renewing the lease (database/leases.py); after it the worker rests for as long as it took. So a worker that was
suspended past its lease rolls back the part in progress, and another worker continues the job of a killed one once its
lease has expired.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import structlog

from firmograph.database.connection import Database, Scope, Session
from firmograph.database.leases import Claim
from firmograph.jobs import store
from firmograph.jobs.step_loop import run_steps
from firmograph.kit.clock import Clock
from firmograph.kit.error_log import ErrorLog
from firmograph.kit.errors import Busy, Unavailable

log = structlog.get_logger("firmograph.worker")

POLL_SECONDS: Final = 1.0
"""Interval of the search for due jobs: one statement of a few rows."""

PART_ROWS: Final = 1_000
"""Rows that a part deletes at most: about ten milliseconds of the embedded database's writer."""

Outcome = Literal["done", "failed", "lost"]
"""End of a job. `lost`: the worker was stopped past its lease, and another has claimed the job."""


DoPart = Callable[[Session, float], int]
"""Does a part of a job at the given time, small enough for one short transaction.

Returns its amount of work, 0 if nothing is left.
"""


class JobPart(NamedTuple):
    """Part of a job that needs the writing scopes of what it changes."""

    scopes: Sequence[Scope]
    do: DoPart


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """Job done once in a period."""

    name: str
    period: float
    """Seconds."""
    part: DoPart
    title: str = ""
    """What it does, for operators; the name without hyphens by default."""

    def next_part(self, session: Session, now: float) -> JobPart:
        return JobPart((None,), self.part)


@dataclass(frozen=True, slots=True)
class ScopedJob:
    """Periodic job whose parts need scopes known only from their rows, such as accounts."""

    name: str
    period: float
    find: Callable[[Session, float], JobPart | None]
    """Finds the next part, outside any transaction; None if nothing is left.

    If its rows are gone when the part is done, the job ends for this period.
    """
    title: str = ""
    """What it does, for operators; the name without hyphens by default."""

    def next_part(self, session: Session, now: float) -> JobPart:
        return self.find(session, now) or JobPart((None,), lambda session, now: 0)


class _LostError(Exception):
    """Another worker has claimed the job."""


class JobWorker:
    """Worker that does due jobs one at a time, in a thread from `start` to `stop`."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        jobs: Iterable[PeriodicJob | ScopedJob],
        observe: Callable[[str, Outcome], None] = lambda name, outcome: None,
    ) -> None:
        """Create a worker; `observe` is called with name and outcome of each job that ended."""
        self._database = database
        self._clock = clock
        self._jobs = {job.name: job for job in jobs}
        self._observe = observe
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    def title(self, name: str) -> str:
        """Return what a job does, for operators."""
        return self._jobs[name].title or name.replace("-", " ").capitalize()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the part in progress; another worker continues the job."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def step(self) -> bool:
        """Do the job that has been due the longest; return False if none is. Raises Busy and Unavailable."""
        if not self._is_any_due():
            return False
        now = self._clock.seconds()
        with self._database.write(None) as session:
            claims = store.leases.claim_among(session, list(self._jobs), 1, now)
        for claim in claims:
            self._do(self._jobs[claim.key], claim)
        return bool(claims)

    def _is_any_due(self) -> bool:
        """Return whether a job is due, mostly by reading alone: a claim would take the embedded database's writer."""
        now = self._clock.seconds()
        free_from = store.free_from(self._database.session())
        missing = [name for name in self._jobs if name not in free_from]
        if missing:
            with self._database.write(None) as session:
                store.insert_jobs(session, missing, now)
        return bool(missing) or any(free_from[name] <= now for name in self._jobs)

    def _do(self, job: PeriodicJob | ScopedJob, claim: Claim[str]) -> None:
        count = 0
        try:
            began = time.monotonic()
            while done := self._part(job, claim):
                count += done
                # without a rest, charges would get the writer only between two parts
                if self._stop.wait(time.monotonic() - began):
                    self._release(claim)
                    return
                began = time.monotonic()
        except _LostError:
            log.warning("job took longer than its lease; another worker has claimed it", duty=job.name)
            self._observe(job.name, "lost")
        except (Busy, Unavailable):
            raise
        except Exception:
            log.exception("job failed and will be retried when it is due next", duty=job.name)
            self._postpone(job, claim)
            self._observe(job.name, "failed")
        else:
            (log.info if count else log.debug)("job done", duty=job.name, count=count)
            self._observe(job.name, "done")

    def _part(self, job: PeriodicJob | ScopedJob, claim: Claim[str]) -> int:
        """Do a part and renew the lease, or record the end of the job. Raises _LostError, rolling back, without it."""
        part = job.next_part(self._database.session(), self._clock.seconds())
        with self._database.write(*part.scopes) as session:
            count = part.do(session, self._clock.seconds())
            now = self._clock.seconds()
            if count:
                owned = store.leases.renew(session, claim, now)
            else:
                owned = store.complete(session, claim, at=now, due_at=now + job.period)
            if not owned:
                raise _LostError
        return count

    def _postpone(self, job: PeriodicJob | ScopedJob, claim: Claim[str]) -> None:
        with self._database.write(None) as session:
            store.leases.complete(session, claim, self._clock.seconds() + job.period)

    def _release(self, claim: Claim[str]) -> None:
        with self._database.write(None) as session:
            store.leases.release(session, claim)

    def _run(self) -> None:
        errors = ErrorLog(
            log,
            waiting="the worker is waiting for the database and will resume automatically",
            failed="the worker failed and will try again",
            recovered="the worker has recovered",
        )

        def step() -> float:
            return 0.0 if self.step() else POLL_SECONDS

        run_steps(step, self._stop, errors, retry_seconds=POLL_SECONDS)

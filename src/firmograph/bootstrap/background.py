"""Background work of an installation, done by `serve` or by `worker`."""

from collections.abc import Callable
from typing import NamedTuple

from firmograph.installation import BackgroundWork, Installation
from firmograph.jobs.scheduler import JobWorker, Outcome, PeriodicJob, ScopedJob


class Background(NamedTuple):
    scheduler: JobWorker
    work: list[BackgroundWork]


def periodic_jobs(installation: Installation) -> list[PeriodicJob | ScopedJob]:
    """Return the periodic jobs of all packages."""
    return [job for one in installation.workers for job in one.periodic_jobs(installation)]


def build_background(installation: Installation, on_job_end: Callable[[str, Outcome], None]) -> Background:
    """Build the scheduler of the periodic jobs, and the other background work of all packages."""
    scheduler = JobWorker(installation.database, installation.clock, periodic_jobs(installation), on_job_end)
    work = [each for one in installation.workers for each in one.background(installation)]
    return Background(scheduler, work)

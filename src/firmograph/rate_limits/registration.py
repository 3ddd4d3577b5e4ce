"""Registration of rate limits: the limiter of a server process, and its counters over restarts."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from firmograph.installation import Installation, Registration

if TYPE_CHECKING:
    from firmograph.database.connection import Session
    from firmograph.jobs.scheduler import PeriodicJob
    from firmograph.privacy.declarations import PersonalData
    from firmograph.rate_limits.windows import RateLimiter


def _personal_data() -> "Sequence[PersonalData]":
    from firmograph.rate_limits.personal_data import PERSONAL_DATA

    return [PERSONAL_DATA]


def _limiter(installation: Installation) -> "RateLimiter":
    from firmograph.api.metrics import Metrics
    from firmograph.rate_limits.factory import create_rate_limiter

    return create_rate_limiter(
        installation.settings,
        installation.database,
        installation.clock,
        installation.get(Metrics),
        installation.counter_file,
    )


def _lifespans(installation: Installation) -> Sequence[AbstractAsyncContextManager[None]]:
    from firmograph.rate_limits.saving import save_counters
    from firmograph.rate_limits.windows import RateLimiter

    return [save_counters(installation.get(RateLimiter), installation.database)]


def _periodic_jobs(installation: Installation) -> "Sequence[PeriodicJob]":
    from firmograph.jobs.scheduler import PART_ROWS, PeriodicJob
    from firmograph.rate_limits.windows import delete_ended_windows

    def forget(session: "Session", now: float) -> int:
        return delete_ended_windows(session, now, PART_ROWS)

    # counters of accounts that call are overwritten; these belong to accounts that stopped calling
    return [PeriodicJob("forget-rate-counters", 3_600.0, forget)]


REGISTRATION = Registration(
    personal_data=_personal_data,
    services={
        "RateLimiter": _limiter,
    },
    lifespans=_lifespans,
    periodic_jobs=_periodic_jobs,
)

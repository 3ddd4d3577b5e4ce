"""Periodic jobs of an installation."""

from collections.abc import Sequence
from typing import Final, Protocol

from firmograph.billing import idempotency
from firmograph.billing.plans import Plans
from firmograph.database.connection import Session, account_scope
from firmograph.jobs.scheduler import JobPart, PeriodicJob, ScopedJob
from firmograph.rate_limits import windows
from firmograph.webhooks.deliveries import expiry

_BATCH_SIZE: Final = 1_000
"""Rows deleted in one transaction: about ten milliseconds of the embedded database's writer."""

_DAY: Final = 86_400


def _delete_expired_keys(session: Session, now: float) -> int:
    return idempotency.delete_expired_keys(session, now, _BATCH_SIZE)


def _delete_ended_windows(session: Session, now: float) -> int:
    return windows.delete_ended_windows(session, now, _BATCH_SIZE)


class _Expiry(Protocol):
    """Expiry of rows of accounts."""

    def find(self, session: Session, now: float) -> list[tuple[int, int]]:
        """Return a batch of expired rows as (row, account)."""
        ...

    def expire(self, session: Session, found: Sequence[tuple[int, int]], now: float) -> int: ...


def _expiry_job(name: str, period: float, rule: _Expiry) -> ScopedJob:
    def find(session: Session, now: float) -> JobPart | None:
        found = rule.find(session, now)
        if not found:
            return None
        scopes = list({account_scope(account) for _, account in found})
        return JobPart(scopes, lambda session, now: rule.expire(session, found, now))

    return ScopedJob(name, period, find)


def periodic_jobs(plans: Plans) -> tuple[PeriodicJob | ScopedJob, ...]:
    """Return all jobs of an installation with these plans."""
    return (
        # callers already treat an expired key as missing; this frees its row
        PeriodicJob("forget-idempotency-keys", 600.0, _delete_expired_keys),
        # counters of accounts that call are overwritten; these belong to accounts that stopped calling
        PeriodicJob("forget-rate-counters", 3_600.0, _delete_ended_windows),
        # deliveries that cannot be sent any more, with their holds
        _expiry_job("end-withheld-deliveries", 3_600.0, expiry.WITHHELD),
        _expiry_job("end-blocked-deliveries", 3_600.0, expiry.BLOCKED),
        _expiry_job("end-stopped-deliveries", 3_600.0, expiry.StoppedAccountExpiry(plans)),
        _expiry_job("end-opt-outs", 3_600.0, expiry.OPT_OUTS),
        _expiry_job("forget-dead-letters", _DAY, expiry.FAILED),
        _expiry_job("forget-audit-logs", _DAY, expiry.AuditRetention()),
    )

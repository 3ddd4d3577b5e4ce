"""Periodic jobs that expire deliveries, dead letters and audit rows."""

from collections.abc import Sequence
from typing import Final, Protocol

from firmograph.billing.plans import Plans
from firmograph.database.connection import Session, account_scope
from firmograph.jobs.scheduler import JobPart, ScopedJob
from firmograph.webhooks.deliveries import expiry

_HOUR: Final = 3_600.0
_DAY: Final = 24 * _HOUR


class _Expiry(Protocol):
    """Expiry of rows of accounts."""

    def find(self, session: Session, now: float) -> list[tuple[int, int]]:
        """Return a batch of expired rows as (row, account)."""
        ...

    def expire(self, session: Session, found: Sequence[tuple[int, int]], now: float) -> int: ...


def _expiry_job(name: str, period: float, rule: _Expiry, title: str) -> ScopedJob:
    def find(session: Session, now: float) -> JobPart | None:
        found = rule.find(session, now)
        if not found:
            return None
        scopes = list({account_scope(account) for _, account in found})
        return JobPart(scopes, lambda session, now: rule.expire(session, found, now))

    return ScopedJob(name, period, find, title)


def expiry_jobs(plans: Plans) -> list[ScopedJob]:
    """Return the jobs; accounts on none of these plans receive no deliveries."""
    return [
        # deliveries that cannot be sent any more, with their holds
        _expiry_job(
            "end-withheld-deliveries",
            _HOUR,
            expiry.WITHHELD,
            "Cancel deliveries that wait for credits for too long",
        ),
        _expiry_job(
            "end-blocked-deliveries", _HOUR, expiry.BLOCKED, "Cancel deliveries of disabled subscriptions"
        ),
        _expiry_job(
            "end-stopped-deliveries",
            _HOUR,
            expiry.StoppedAccountExpiry(plans),
            "Cancel deliveries of disabled accounts",
        ),
        _expiry_job("end-opt-outs", _HOUR, expiry.OPT_OUTS, "Cancel opt-out notices that are too old"),
        _expiry_job("forget-dead-letters", _DAY, expiry.FAILED, "Delete failed deliveries that are too old"),
        _expiry_job("forget-audit-logs", _DAY, expiry.AuditRetention(), "Delete old audit entries"),
    ]

"""What has to be done regularly."""

from collections.abc import Sequence
from typing import Final, Protocol

from firmograph.billing import idempotency
from firmograph.billing.plans import Plans
from firmograph.database.connection import Session, account_scope
from firmograph.jobs.scheduler import Duty, Part, ScopedDuty
from firmograph.rate_limits import windows
from firmograph.webhooks.deliveries import expiry

_PART: Final = 1_000
"""Rows deleted in one transaction: some ten milliseconds of the embedded database's writer."""

_DAY: Final = 86_400


def _forget_keys(session: Session, now: float) -> int:
    return idempotency.delete_expired_keys(session, now, _PART)


def _forget_counters(session: Session, now: float) -> int:
    return windows.delete_ended_windows(session, now, _PART)


class _Ageing(Protocol):
    """What ends by itself one day, in parts."""

    def find(self, session: Session, now: float) -> list[tuple[int, int]]:
        """Return some rows, each with its account."""
        ...

    def expire(self, session: Session, found: Sequence[tuple[int, int]], now: float) -> int: ...


def _of_accounts(name: str, period: float, what: _Ageing) -> ScopedDuty:
    def find(session: Session, now: float) -> Part | None:
        found = what.find(session, now)
        if not found:
            return None
        scopes = list({account_scope(account) for _, account in found})
        return Part(scopes, lambda session, now: what.expire(session, found, now))

    return ScopedDuty(name, period, find)


def duties_of(plans: Plans) -> tuple[Duty | ScopedDuty, ...]:
    """All duties of an installation with these plans."""
    return (
        # an expired key is as good as gone for callers; only its place is still to be freed
        Duty("forget-idempotency-keys", 600.0, _forget_keys),
        # a counter is written again while its account calls; these are of accounts that no longer do
        Duty("forget-rate-counters", 3_600.0, _forget_counters),
        # deliveries that nothing will come of, and what is held for them
        _of_accounts("end-withheld-deliveries", 3_600.0, expiry.WITHHELD),
        _of_accounts("end-blocked-deliveries", 3_600.0, expiry.BLOCKED),
        _of_accounts("end-stopped-deliveries", 3_600.0, expiry.StoppedAccountExpiry(plans)),
        _of_accounts("end-opt-outs", 3_600.0, expiry.OPT_OUTS),
        _of_accounts("forget-dead-letters", _DAY, expiry.FAILED),
        _of_accounts("forget-audit-logs", _DAY, expiry.AuditRetention()),
    )

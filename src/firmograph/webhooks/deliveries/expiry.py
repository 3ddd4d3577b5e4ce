"""Expiry of undeliverable deliveries, dead letters and audit rows.

See docs/reference/webhooks.md#retention.

Work is done in batches. `find` selects rows outside a transaction; `expire` removes those that are still expired, in a
transaction that holds the scopes of their accounts.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from firmograph.billing.plans import Plans
from firmograph.database.connection import AccountSession, Session
from firmograph.webhooks.deliveries import audit_store, cancel, expiry_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.expiry_store import ExpiredRow, ExpiryRule
from firmograph.webhooks.types import Status

_HOUR: Final = 3_600.0
_DAY: Final = 24 * _HOUR

_BATCH: Final = 200
"""Deliveries expired in one batch."""
_AUDIT_BATCH: Final = 500
"""Audit rows deleted in one batch."""
_MAX_ACCOUNTS: Final = 50
"""Accounts in one batch, as it blocks their writers."""

_WAIT_LIMIT: Final = 7 * _DAY
_DISABLED: Final = "Not delivered within 7 days, and the account is disabled"
_UNKNOWN_PLAN: Final = "Not delivered within 7 days, and the account's plan is not set up"


@dataclass(frozen=True, slots=True)
class DeliveryExpiry:
    """Expiry of deliveries that match a rule for too long."""

    rule: ExpiryRule
    max_age: float
    """Seconds."""
    reason: str
    """Error text for the audit; dead letters have their audit row already."""

    def find(self, session: Session, now: float) -> list[ExpiredRow]:
        return _limit_accounts(expiry_store.find_expired(session, self.rule, now - self.max_age, now, _BATCH))

    def expire(self, session: Session, found: Sequence[ExpiredRow], now: float) -> int:
        still = expiry_store.still_expired(
            session, self.rule, now - self.max_age, now, sorted(id for id, _ in found)
        )
        for account, ids in _group_by_account(still):
            expired = delivery_store.find(AccountSession(session, account), ids)
            cancel.cancel_deliveries(AccountSession(session, account), expired, now, self.reason)
        return len(still)


@dataclass(frozen=True, slots=True)
class StoppedAccountExpiry:
    """Expiry of deliveries to disabled accounts and accounts on unknown plans."""

    plans: Plans

    def find(self, session: Session, now: float) -> list[ExpiredRow]:
        accounts = sorted(self._reasons(expiry_store.account_states(session)))
        return _limit_accounts(
            expiry_store.find_waiting_of(session, accounts, now - _WAIT_LIMIT, now, _BATCH)
        )

    def expire(self, session: Session, found: Sequence[ExpiredRow], now: float) -> int:
        accounts = sorted({account for _, account in found})
        reasons = self._reasons(expiry_store.account_states(session, accounts))
        ids = sorted(id for id, account in found if account in reasons)
        still = expiry_store.still_expired(session, ExpiryRule.STOPPED, now - _WAIT_LIMIT, now, ids)
        for account, expired in _group_by_account(still):
            deliveries = delivery_store.find(AccountSession(session, account), expired)
            cancel.cancel_deliveries(AccountSession(session, account), deliveries, now, reasons[account])
        return len(still)

    def _reasons(self, states: Iterable[tuple[int, bool, str]]) -> dict[int, str]:
        """Return the audit's error text for each account that receives no deliveries."""
        return {
            account: _UNKNOWN_PLAN if active else _DISABLED
            for account, active, plan in states
            if not active or self.plans.find(plan) is None
        }


WITHHELD: Final = DeliveryExpiry(ExpiryRule.WITHHELD, 72 * _HOUR, "Not enough credits for 72 hours")
BLOCKED: Final = DeliveryExpiry(ExpiryRule.BLOCKED, 7 * _DAY, "The subscription was disabled for 7 days")
FAILED: Final = DeliveryExpiry(ExpiryRule.FAILED, 180 * _DAY, "Not delivered")
OPT_OUTS: Final = DeliveryExpiry(ExpiryRule.OPT_OUT, 30 * _DAY, "Not delivered within 30 days")

_RETENTION: Final = {
    Status.SUCCESS: 90 * _DAY,
    Status.FAILED: 180 * _DAY,
    Status.PERMANENT_FAILURE: 180 * _DAY,
}


class AuditRetention:
    """Deletion of old audit rows."""

    @staticmethod
    def find(session: Session, now: float) -> list[ExpiredRow]:
        for status, max_age in _RETENTION.items():
            if found := audit_store.find_older(session, status, now - max_age, _AUDIT_BATCH):
                return _limit_accounts(found)
        return []

    @staticmethod
    def expire(session: Session, found: Sequence[ExpiredRow], now: float) -> int:
        return audit_store.delete(session, sorted(id for id, _ in found))


def _group_by_account(found: Iterable[ExpiredRow]) -> list[tuple[int, list[int]]]:
    of_account = defaultdict(list)
    for id, account in found:
        of_account[account].append(id)
    return sorted(of_account.items())


def _limit_accounts(found: Sequence[ExpiredRow]) -> list[ExpiredRow]:
    """Return the rows of the first `_MAX_ACCOUNTS` accounts."""
    accounts: set[int] = set()
    few = []
    for row in found:
        if row[1] in accounts or len(accounts) < _MAX_ACCOUNTS:
            accounts.add(row[1])
            few.append(row)
    return few

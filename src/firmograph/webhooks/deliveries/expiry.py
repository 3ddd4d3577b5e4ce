"""What ends by itself one day: deliveries that cannot be made, dead letters, and rows of the audit (decisions G).

Each is done in parts. `find` looks for some rows outside any transaction; `end` does the rest in a transaction of the
scopes of their accounts, of what is still to be ended by then.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from firmograph.billing.plans import Plans
from firmograph.database.connection import Session
from firmograph.webhooks.deliveries import audit_store, cancel, expiry_store
from firmograph.webhooks.deliveries import store as delivery_store
from firmograph.webhooks.deliveries.expiry_store import Aged, Found
from firmograph.webhooks.types import Status

_HOUR: Final = 3_600.0
_DAY: Final = 24 * _HOUR

_DELIVERIES: Final = 200
"""Ended in one part."""
_ROWS: Final = 500
"""Of the audit, deleted in one part."""
_ACCOUNTS: Final = 50
"""Whose writers one part may hold."""

_WAITED: Final = 7 * _DAY
_DISABLED: Final = "Not delivered within 7 days, and the account is disabled"
_UNKNOWN_PLAN: Final = "Not delivered within 7 days, and the account's plan is not set up"


@dataclass(frozen=True, slots=True)
class Ageing:
    """The end of deliveries whose time is up."""

    aged: Aged
    seconds: float
    reason: str
    """What the audit tells; dead letters have their row there already."""

    def find(self, session: Session, now: float) -> list[Found]:
        return _of_few(expiry_store.find(session, self.aged, now - self.seconds, now, _DELIVERIES))

    def end(self, session: Session, found: Sequence[Found], now: float) -> int:
        still = expiry_store.still(session, self.aged, now - self.seconds, now, sorted(id for id, _ in found))
        for account, ids in _by_account(still):
            ended = delivery_store.of_ids(session, account, ids)
            cancel.end(session, account, ended, now, self.reason)
        return len(still)


@dataclass(frozen=True, slots=True)
class Stopped:
    """The end of deliveries to accounts that are disabled, or on a plan that is not set up here, which hold credits."""

    plans: Plans

    def find(self, session: Session, now: float) -> list[Found]:
        accounts = sorted(self._reasons(expiry_store.standing(session)))
        return _of_few(expiry_store.find_of(session, accounts, now - _WAITED, now, _DELIVERIES))

    def end(self, session: Session, found: Sequence[Found], now: float) -> int:
        accounts = sorted({account for _, account in found})
        reasons = self._reasons(expiry_store.standing(session, accounts))
        ids = sorted(id for id, account in found if account in reasons)
        still = expiry_store.still(session, Aged.STOPPED, now - _WAITED, now, ids)
        for account, ended in _by_account(still):
            deliveries = delivery_store.of_ids(session, account, ended)
            cancel.end(session, account, deliveries, now, reasons[account])
        return len(still)

    def _reasons(self, standing: Iterable[tuple[int, bool, str]]) -> dict[int, str]:
        """Of the accounts that are told nothing, what the audit tells."""
        return {
            account: _UNKNOWN_PLAN if active else _DISABLED
            for account, active, plan in standing
            if not active or self.plans.find(plan) is None
        }


WITHHELD: Final = Ageing(Aged.WITHHELD, 72 * _HOUR, "Not enough credits for 72 hours")
BLOCKED: Final = Ageing(Aged.BLOCKED, 7 * _DAY, "The subscription was disabled for 7 days")
FAILED: Final = Ageing(Aged.FAILED, 180 * _DAY, "Not delivered")
OPT_OUTS: Final = Ageing(Aged.OPT_OUT, 30 * _DAY, "Not delivered within 30 days")

_KEPT: Final = {Status.SUCCESS: 90 * _DAY, Status.FAILED: 180 * _DAY, Status.PERMANENT_FAILURE: 180 * _DAY}


class AuditRetention:
    """The end of rows of the audit (specification 6.4 and 8)."""

    @staticmethod
    def find(session: Session, now: float) -> list[Found]:
        for status, seconds in _KEPT.items():
            if found := audit_store.old(session, status, now - seconds, _ROWS):
                return _of_few(found)
        return []

    @staticmethod
    def end(session: Session, found: Sequence[Found], now: float) -> int:
        return audit_store.forget(session, sorted(id for id, _ in found))


def _by_account(found: Iterable[Found]) -> list[tuple[int, list[int]]]:
    of_account = defaultdict(list)
    for id, account in found:
        of_account[account].append(id)
    return sorted(of_account.items())


def _of_few(found: Sequence[Found]) -> list[Found]:
    """Those of the first accounts."""
    accounts: set[int] = set()
    few = []
    for one in found:
        if one[1] in accounts or len(accounts) < _ACCOUNTS:
            accounts.add(one[1])
            few.append(one)
    return few

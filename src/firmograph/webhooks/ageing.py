"""What ends by itself one day: deliveries that cannot be made, dead letters, and rows of the audit (decisions G).

Each is done in parts. `find` looks for some rows outside any transaction; `end` does the rest in a transaction of the
scopes of their accounts, of what is still to be ended by then.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from firmograph.kit.database import Session
from firmograph.webhooks import ageing_store, audit_store, delivery_store, ending
from firmograph.webhooks.ageing_store import Aged, Found
from firmograph.webhooks.types import Status

_HOUR: Final = 3_600.0
_DAY: Final = 24 * _HOUR

_DELIVERIES: Final = 200
"""Ended in one part."""
_ROWS: Final = 500
"""Of the audit, deleted in one part."""
_ACCOUNTS: Final = 50
"""Whose writers one part may hold."""


@dataclass(frozen=True, slots=True)
class Ageing:
    """The end of deliveries whose time is up."""

    aged: Aged
    seconds: float
    reason: str
    """What the audit tells; dead letters have their row there already."""

    def find(self, session: Session, now: float) -> list[Found]:
        return _of_few(ageing_store.find(session, self.aged, now - self.seconds, now, _DELIVERIES))

    def end(self, session: Session, found: Sequence[Found], now: float) -> int:
        still = ageing_store.still(session, self.aged, now - self.seconds, now, sorted(id for id, _ in found))
        of_account = defaultdict(list)
        for id, account in still:
            of_account[account].append(id)
        for account, ids in sorted(of_account.items()):
            ended = delivery_store.of_ids(session, account, ids)
            ending.end(session, account, ended, now, self.reason)
        return len(still)


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


def _of_few(found: Sequence[Found]) -> list[Found]:
    """Those of the first accounts."""
    accounts: set[int] = set()
    few = []
    for one in found:
        if one[1] in accounts or len(accounts) < _ACCOUNTS:
            accounts.add(one[1])
            few.append(one)
    return few

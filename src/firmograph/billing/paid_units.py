"""Paid units: the data points an account has paid for (docs/reference/account.md#paid-units)."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from firmograph.billing import ledger, ledger_store
from firmograph.caller import Plan
from firmograph.database.connection import Session
from firmograph.directory.data_points import COMPANY_BASE, COMPANY_TOKENS
from firmograph.kit.clock import Clock
from firmograph.security.record_ids import Entity

Unit = tuple[int, int, str]
"""Entity, record number and name of the data point, such as `emails` or `directParent`."""

_ACTIONS = {
    (int(Entity.CONTACT), "emails"): "revealEmail",
    (int(Entity.CONTACT), "phones"): "revealPhone",
    (int(Entity.COMPANY), COMPANY_BASE): "revealCompany",
    **{(int(Entity.COMPANY), token): "revealCompanyPremiumData" for token in COMPANY_TOKENS},
}
_DAY = 86_400.0


class Purchase(NamedTuple):
    """Units newly paid by one call, and their cost."""

    credits: int
    units: frozenset[Unit]


class PaidUnits:
    """Paid units of all accounts. A unit must be paid again after `repeat_reveal_days` (0: never)."""

    def __init__(self, clock: Clock, repeat_reveal_days: int = 0) -> None:
        self._clock = clock
        self._seconds = repeat_reveal_days * _DAY

    def paid(
        self, session: Session, account_id: int, entity: Entity, ids: Sequence[int]
    ) -> set[tuple[int, str]]:
        """Return the paid data points of these records, as (record, unit). One statement."""
        return self._paid(session, account_id, entity, ids, self._clock.seconds())

    def _paid(
        self, session: Session, account_id: int, entity: int, ids: Sequence[int], at: float
    ) -> set[tuple[int, str]]:
        if not ids:
            return set()
        since = at - self._seconds if self._seconds else 0.0
        return ledger_store.select_paid(session, account_id, entity, ids, since)

    def pay(
        self,
        session: Session,
        account_id: int,
        plan: Plan,
        request_id: str,
        units: Collection[Unit],
        at: float,
    ) -> Purchase:
        """Pay for those of `units` that are not paid yet, inside the caller's write transaction.

        Charges the prices of the plan and records the units as paid. Units that are already paid are skipped, so only
        one of two concurrent calls for the same unit pays. Raises PaymentRequired, without writing anything, when too
        few credits remain. At most three statements, and one more per entity among the units.
        """
        unpaid = frozenset(units)
        for entity in {unit[0] for unit in unpaid}:
            ids = sorted({unit[1] for unit in unpaid if unit[0] == entity})
            paid = self._paid(session, account_id, entity, ids, at)
            unpaid -= {(entity, number, name) for number, name in paid}
        if not unpaid:
            return Purchase(0, unpaid)
        quantities = Counter(_action(unit) for unit in sorted(unpaid))
        credits = ledger.charge(session, account_id, plan, quantities, request_id, at)
        ledger_store.upsert_paid(
            session,
            [
                (account_id, entity, number, name, at, at, request_id)
                for entity, number, name in sorted(unpaid)
            ],
        )
        return Purchase(credits, unpaid)

    def credits_for(self, plan: Plan, entity: Entity, unit: str) -> int:
        """Return the cost of an unpaid data point, for the priced form of `canReveal`."""
        return plan.price(_ACTIONS[entity, unit]).total(1)


def _action(unit: Unit) -> str:
    return _ACTIONS[unit[0], unit[2]]

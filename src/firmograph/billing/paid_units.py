"""What an account has paid for, and paying for more (decisions, row 3 and C, Paid units)."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from firmograph.accounts.caller import Caller
from firmograph.billing import ledger, ledger_store
from firmograph.database.connection import Session
from firmograph.directory.data_points import COMPANY_BASE, COMPANY_TOKENS
from firmograph.kit.clock import Clock
from firmograph.security.record_ids import Entity

Unit = tuple[int, int, str]
"""Entity, record number and the name of the data point, such as `emails` or `directParent`."""

_ACTIONS = {
    (int(Entity.CONTACT), "emails"): "revealEmail",
    (int(Entity.CONTACT), "phones"): "revealPhone",
    (int(Entity.COMPANY), COMPANY_BASE): "revealCompany",
    **{(int(Entity.COMPANY), token): "revealCompanyPremiumData" for token in COMPANY_TOKENS},
}
_DAY = 86_400.0


class Bought(NamedTuple):
    """What one call paid for newly."""

    credits: int
    units: frozenset[Unit]


class Purchases:
    """Paid units of every account. A unit is paid again only after `repeat_reveal_days` (0: never)."""

    def __init__(self, clock: Clock, repeat_reveal_days: int = 0) -> None:
        self._clock = clock
        self._seconds = repeat_reveal_days * _DAY

    def paid(
        self, session: Session, account_id: int, entity: Entity, ids: Sequence[int]
    ) -> set[tuple[int, str]]:
        """Which data points of these records are paid for, as (record, unit). One statement."""
        return self._paid(session, account_id, entity, ids, self._clock.seconds())

    def _paid(
        self, session: Session, account_id: int, entity: int, ids: Sequence[int], at: float
    ) -> set[tuple[int, str]]:
        if not ids:
            return set()
        since = at - self._seconds if self._seconds else 0.0
        return ledger_store.paid(session, account_id, entity, ids, since)

    def buy(
        self, session: Session, caller: Caller, request_id: str, units: Collection[Unit], at: float
    ) -> Bought:
        """Pay for those of `units` that are not paid yet, inside the caller's write transaction.

        Charges by the caller's plan and notes the units as paid. What is paid already is ignored, so of two
        calls that want the same unit one pays. Raises PaymentRequired, with nothing written, when too few
        credits remain. At most three statements, and one more for each entity among the units.
        """
        wanted = frozenset(units)
        for entity in {unit[0] for unit in wanted}:
            ids = sorted({unit[1] for unit in wanted if unit[0] == entity})
            held = self._paid(session, caller.account_id, entity, ids, at)
            wanted -= {(entity, number, name) for number, name in held}
        if not wanted:
            return Bought(0, wanted)
        quantities = Counter(_action(unit) for unit in sorted(wanted))
        credits = ledger.charge(session, caller.account_id, caller.plan, quantities, request_id, at)
        ledger_store.put_paid(
            session,
            [
                (caller.account_id, entity, number, name, at, at, request_id)
                for entity, number, name in sorted(wanted)
            ],
        )
        return Bought(credits, wanted)

    def credits_for(self, caller: Caller, entity: Entity, unit: str) -> int:
        """What a data point that is not paid yet costs the caller, for the priced form of `canReveal`."""
        return caller.plan.price(_ACTIONS[entity, unit]).of(1)


def _action(unit: Unit) -> str:
    return _ACTIONS[unit[0], unit[2]]

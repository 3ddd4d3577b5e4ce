"""Paid units: the data points and signals an account has paid for (docs/reference/account.md#paid-units)."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from firmograph.billing import ledger
from firmograph.billing import paid_unit_store as store
from firmograph.billing.types import Unit, UnitKind, signal_unit
from firmograph.caller import NOBODY, Plan, Spender
from firmograph.database.connection import AccountSession
from firmograph.directory.data_points import COMPANY_BASE, COMPANY_TOKENS
from firmograph.kit.clock import Clock
from firmograph.security.record_ids import Entity

_ACTIONS: dict[tuple[int, str | bytes], str] = {
    (UnitKind.CONTACT_DATA, "emails"): "revealEmail",
    (UnitKind.CONTACT_DATA, "phones"): "revealPhone",
    (UnitKind.COMPANY_DATA, COMPANY_BASE): "revealCompany",
    **{(UnitKind.COMPANY_DATA, token): "revealCompanyPremiumData" for token in COMPANY_TOKENS},
}
_DAY = 86_400.0


class Purchase(NamedTuple):
    """Data points newly paid by one call, and their cost."""

    credits: int
    units: frozenset[Unit]


class PaidUnits:
    """Paid units of all accounts. A unit must be paid again after `repeat_reveal_days` (0: never)."""

    def __init__(self, clock: Clock, repeat_reveal_days: int = 0) -> None:
        self._clock = clock
        self._seconds = repeat_reveal_days * _DAY

    def paid(
        self, session: AccountSession, entity: Entity, ids: Sequence[int], at: float | None = None
    ) -> set[tuple[int, str]]:
        """Return the data points of these records that are paid at a time, or now, as (record, unit). One statement."""
        return self._paid(session, entity, ids, self._clock.seconds() if at is None else at)

    def _paid(
        self, session: AccountSession, entity: int, ids: Sequence[int], at: float
    ) -> set[tuple[int, str]]:
        if not ids:
            return set()
        since = at - self._seconds if self._seconds else 0.0
        return store.select_data_points(session, entity, ids, since)

    def pay(
        self,
        session: AccountSession,
        plan: Plan,
        request_id: str,
        units: Collection[Unit],
        at: float,
        subject: str = "",
        spender: Spender = NOBODY,
    ) -> Purchase:
        """Pay for those data points that are not paid yet, inside the caller's write transaction.

        Charges the prices of the plan and records the units as paid. Units that are already paid are skipped, so only
        one of two concurrent calls for the same unit pays. Raises PaymentRequired, without writing anything, when too
        few credits remain, of the account or of the spender's day. At most three statements, and one more per kind
        among the units and for a spender with a cap.
        """
        unpaid = frozenset(units)
        for kind in {unit[0] for unit in unpaid}:
            ids = sorted({unit[1] for unit in unpaid if unit[0] == kind})
            paid = self._paid(session, kind, ids, at)
            unpaid -= {Unit(kind, number, name) for number, name in paid}
        if not unpaid:
            return Purchase(0, unpaid)
        quantities = Counter(data_point_action(unit) for unit in sorted(unpaid))
        credits = ledger.charge(session, plan, quantities, request_id, at, subject, spender)
        store.upsert(session, unpaid, request_id, at)
        return Purchase(credits, unpaid)

    def find_paid(self, session: AccountSession, units: Collection[Unit], at: float) -> set[Unit]:
        """Return those of the units, of any kind, that are paid at a time. One statement a kind."""
        since = at - self._seconds if self._seconds else 0.0
        records = sorted({(unit.kind, unit.record) for unit in units if unit.kind != UnitKind.SIGNAL})
        paid: set[Unit] = set()
        for kind in {kind for kind, _ in records}:
            numbers = [number for each, number in records if each == kind]
            named = store.select_data_points(session, kind, numbers, since)
            paid.update(Unit(kind, number, name) for number, name in named)
        identities = sorted(
            unit.name for unit in units if unit.kind == UnitKind.SIGNAL and isinstance(unit.name, bytes)
        )
        if identities:
            paid.update(signal_unit(each) for each in store.select_signals(session, identities, since))
        return paid & set(units)

    def ever_paid(self, session: AccountSession, entity: Entity, ids: Sequence[int], unit: str) -> set[int]:
        """Return the records whose data point the account has paid for at any time. One statement."""
        paid = store.select_data_points(session, entity, ids, since=0.0)
        return {record for record, name in paid if name == unit}

    def credits_for(self, plan: Plan, entity: Entity, unit: str) -> int:
        """Return the cost of an unpaid data point, for the priced form of `canReveal`."""
        return plan.price(_ACTIONS[entity, unit]).total(1)


def data_point_action(unit: Unit) -> str:
    """Return the price key of a data point."""
    return _ACTIONS[unit[0], unit[2]]


def record_paid(session: AccountSession, units: Collection[Unit], request_id: str, at: float) -> None:
    """Record units as paid whose price was charged by quantities. One statement."""
    store.upsert(session, units, request_id, at)


signal_paid_at = store.signal_paid_at
find_signal_payers = store.select_signal_payers

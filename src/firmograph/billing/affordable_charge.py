"""Charge of as many items as the credits cover, for work that goes on when credits run out.

Unlike a charged call (`charged_call.py`), which is refused as a whole, an item without credits is left out and the
others are charged. Charge and recorded units are written in the caller's transaction, in the scope of the account.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from firmograph.billing import ledger, paid_unit_store
from firmograph.billing.ledger import Cost
from firmograph.billing.paid_units import PaidUnits
from firmograph.billing.types import Unit
from firmograph.caller import NOBODY, Plan, Spender
from firmograph.database.connection import AccountSession

UNLIMITED: Final = 2**62
"""A bound in credits that is never reached."""


class PricedGroup(NamedTuple):
    """One quantity of a price key, due while a unit of the group is not paid; without units, due each time."""

    action: str
    units: Collection[Unit] = ()


class ChargedItems(NamedTuple):
    """Result of a charge, item by item."""

    covered: Sequence[bool]
    """Whether each item is paid for; False where credits or bound do not suffice."""
    within_bound: int
    """Number of items before the bound is reached; less than all if one was left out because of it, as all later ones
    are."""
    credits: int
    quantities: Mapping[str, int]
    """Quantities charged by price key."""


class AffordableCharges:
    """Charges of items that stay below the credits of an account and a bound of the work."""

    def __init__(self, paid_units: PaidUnits) -> None:
        self._paid_units = paid_units

    def charge(
        self,
        session: AccountSession,
        plan: Plan,
        items: Sequence[Sequence[PricedGroup]],
        earlier: Mapping[str, int],
        bound: int,
        request_id: str,
        at: float,
        subject: str,
        spender: Spender = NOBODY,
    ) -> ChargedItems:
        """Charge items in order, each as a whole or not at all, and record their units as paid.

        Items that would pass the spender's daily cap lack credits. `earlier` are the quantities that the same work has
        charged before, so that prices per started block are those of the whole work. At most `bound` credits are
        charged.
        """
        affordable = _affordable_credits(session, plan, spender, at) if any(items) else 0
        quote = self._quote(session, plan, items, earlier, at, bound, affordable)
        # a row also where a block that is paid for already covers the quantity
        costs = [
            Cost(action, quantity, quote.costs[action])
            for action, quantity in quote.quantities.items()
            if plan.is_priced(action)
        ]
        if costs:
            ledger.charge_costs(session, plan, costs, request_id, at, subject, spender)
        if quote.units:
            paid_unit_store.upsert(session, quote.units, request_id, at)
        return ChargedItems(quote.covered, quote.within_bound, sum(quote.costs.values()), quote.quantities)

    def estimate(
        self,
        session: AccountSession,
        plan: Plan,
        items: Sequence[Sequence[PricedGroup]],
        earlier: Mapping[str, int],
        at: float,
    ) -> Mapping[str, Cost]:
        """Return what the items would cost by price key, with unlimited credits; writes nothing."""
        quote = self._quote(session, plan, items, earlier, at, UNLIMITED, UNLIMITED)
        return {
            action: Cost(action, quantity, quote.costs[action])
            for action, quantity in quote.quantities.items()
        }

    def _quote(
        self,
        session: AccountSession,
        plan: Plan,
        items: Sequence[Sequence[PricedGroup]],
        earlier: Mapping[str, int],
        at: float,
        bound: int,
        balance: int,
    ) -> "_Quote":
        named = {unit for item in items for group in item for unit in group.units}
        unpaid = named - self._paid_units.find_paid(session, named, at) if named else named
        quote = _Quote(plan, earlier, unpaid)
        for item in items:
            quote.add(item, balance, bound)
        return quote


def _affordable_credits(session: AccountSession, plan: Plan, spender: Spender, at: float) -> int:
    """Return the most that a spender may spend, after paying monthly credits that are due."""
    ledger.renew(session, plan, at)
    remaining = ledger.balance(session).remaining
    left = ledger.daily_credits_left(session, spender, at)
    return remaining if left is None else min(remaining, left)


class _Quote:
    """Prices of items, added one after the other."""

    def __init__(self, plan: Plan, earlier: Mapping[str, int], unpaid: set[Unit]) -> None:
        self.covered: list[bool] = []
        self.within_bound = 0
        self.quantities: Counter[str] = Counter()
        self.costs: Counter[str] = Counter()
        self.units: set[Unit] = set()
        self._plan = plan
        self._earlier = earlier
        self._unpaid = unpaid
        self._credits = 0

    def add(self, item: Sequence[PricedGroup], balance: int, bound: int) -> None:
        due, units = self._due(item)
        costs = self._costs(Counter(group.action for group in due))
        total = self._credits + sum(costs.values())
        is_within = self.within_bound == len(self.covered) and total <= bound
        self.within_bound += is_within
        covered = is_within and total <= balance
        self.covered.append(covered)
        if covered:
            self._credits = total
            self.quantities.update(group.action for group in due)
            self.costs.update(costs)
            self.units |= units

    def _due(self, item: Sequence[PricedGroup]) -> tuple[list[PricedGroup], set[Unit]]:
        """Return the groups of an item that are due, and the units that they pay for."""
        due, bought = [], set[Unit]()
        for group in item:
            unpaid = self._unpaid.intersection(group.units) - self.units - bought
            if unpaid or not group.units:
                due.append(group)
                bought |= unpaid
        return due, bought

    def _costs(self, quantities: Mapping[str, int]) -> dict[str, int]:
        """Return what the quantities add to the price of the whole work."""
        costs = {}
        for action, quantity in quantities.items():
            price, before = self._plan.price(action), self._earlier.get(action, 0) + self.quantities[action]
            costs[action] = price.total(before + quantity) - price.total(before)
        return costs

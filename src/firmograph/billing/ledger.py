"""The ledger: every change of a balance, in the order it happened, never altered.

The row and the balance change in one transaction, so at every moment the sum of an account's grants and
charges in the ledger is its balance; and what a charge pays for is written in that same transaction by the
caller, so charge and effect happen together or not at all.
"""

from collections.abc import Mapping

from firmograph.billing import ledger_store as store
from firmograph.billing.ledger_store import Balance, Entry
from firmograph.billing.plans import Plan
from firmograph.database.connection import Session
from firmograph.kit.errors import PaymentRequired, Refused

MOST_CREDITS = 2**53 - 1
"""The most an account can ever be granted: the largest whole number that every JSON reader keeps exact."""


def balance(session: Session, account_id: int) -> Balance:
    return store.balance_of(session, account_id)


def grant(session: Session, account_id: int, credits: int, request_id: str, at: float) -> int:
    """Give credits to an account; returns what remains then. Raises Refused for none or too many."""
    if credits <= 0:
        raise Refused("The number of credits to grant must be 1 or more")
    remaining = store.grant(session, account_id, credits, MOST_CREDITS) if credits <= MOST_CREDITS else None
    if remaining is None:
        raise Refused(f"An account cannot be granted more than {MOST_CREDITS} credits in all")
    store.append(session, [Entry(account_id, at, request_id, "grant", "", 1, credits, remaining)])
    return remaining


def charge(
    session: Session, account_id: int, plan: Plan, quantities: Mapping[str, int], request_id: str, at: float
) -> int:
    """Charge so many units of each price key, one ledger row a key; returns the credits charged.

    Raises PaymentRequired, with nothing written, when fewer credits remain than that costs. Two statements.
    """
    costs = {action: plan.price(action).of(quantity) for action, quantity in quantities.items()}
    total = sum(costs.values())
    remaining = store.spend(session, account_id, total)
    if remaining is None:
        held = store.balance_of(session, account_id).remaining
        raise PaymentRequired(
            f"Insufficient credits: this request needs {total} and {held} remain. "
            "Nothing was charged or revealed"
        )
    entries = []
    left = remaining + total
    for action, cost in costs.items():
        left -= cost
        entries.append(Entry(account_id, at, request_id, "charge", action, quantities[action], cost, left))
    store.append(session, entries)
    return total

"""Append-only ledger of all changes to account balances.

A ledger row and its balance change in one transaction, so that the sum of an account's ledger rows always equals its
balance. The caller writes the paid effect in the same transaction, so charge and effect succeed or fail together.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from firmograph.billing import ledger_store as store
from firmograph.billing import monthly_credits
from firmograph.billing.types import MAX_CREDITS as MAX_CREDITS
from firmograph.billing.types import Balance, LedgerEntry
from firmograph.caller import Plan
from firmograph.database.connection import AccountSession
from firmograph.kit.errors import PaymentRequired, Refused


def balance(session: AccountSession) -> Balance:
    return store.select_balance(session)


def entries(session: AccountSession) -> Iterator[tuple[int, LedgerEntry]]:
    """Yield the account's ledger rows with their numbers, oldest first."""
    return store.select_entries(session)


def grant(session: AccountSession, credits: int, request_id: str, at: float) -> int:
    """Grant credits to an account and return its remaining credits. Raises Refused for none or too many."""
    if credits <= 0:
        raise Refused("The number of credits to grant must be 1 or more")
    remaining = store.grant_credits(session, credits, MAX_CREDITS) if credits <= MAX_CREDITS else None
    if remaining is None:
        raise Refused(f"An account cannot be granted more than {MAX_CREDITS} credits in all")
    store.append_entries(
        session, [LedgerEntry(session.account_id, at, request_id, "grant", "", 1, credits, remaining)]
    )
    return remaining


def adjust(session: AccountSession, credits: int, request_id: str, at: float) -> int:
    """Take credits back from an account and return its remaining credits. Raises Refused for none or too many."""
    if credits <= 0:
        raise Refused("The number of credits to take back must be 1 or more")
    remaining = store.take_back_credits(session, credits) if credits <= MAX_CREDITS else None
    if remaining is None:
        raise Refused(
            f"Only {balance(session).remaining} credits remain, so {credits} cannot be taken back; nothing was changed"
        )
    entry = LedgerEntry(session.account_id, at, request_id, "adjustment", "", 1, credits, remaining)
    store.append_entries(session, [entry])
    return remaining


def renew(session: AccountSession, plan: Plan, at: float) -> bool:
    """Pay monthly credits that are due under the plan of an active account; return whether any were."""
    return plan.credits_per_month > 0 and monthly_credits.renew(session, plan, at)


class Cost(NamedTuple):
    """Quantity of one price key, and its credits."""

    action: str
    quantity: int
    credits: int


def charge(
    session: AccountSession,
    plan: Plan,
    quantities: Mapping[str, int],
    request_id: str,
    at: float,
    subject: str = "",
) -> int:
    """Charge quantities by price key, with one ledger row per key, and return the credits charged.

    Pays monthly credits that are due if too few remain. Raises PaymentRequired, without charging anything, when they
    do not suffice either. Two statements.
    """
    costs = [
        Cost(action, quantity, plan.price(action).total(quantity)) for action, quantity in quantities.items()
    ]
    return charge_costs(session, plan, costs, request_id, at, subject)


def charge_costs(
    session: AccountSession, plan: Plan, costs: Sequence[Cost], request_id: str, at: float, subject: str = ""
) -> int:
    """Charge costs that are known, with one ledger row each; otherwise like `charge`."""
    total = sum(cost.credits for cost in costs)
    remaining = store.spend_credits(session, total)
    if remaining is None and renew(session, plan, at):
        remaining = store.spend_credits(session, total)
    if remaining is None:
        available = store.select_balance(session).remaining
        raise PaymentRequired(
            f"Insufficient credits: this request needs {total} and {available} remain. "
            "Nothing was charged or revealed"
        )
    entries = []
    left = remaining + total
    for action, quantity, credits in costs:
        left -= credits
        entries.append(
            LedgerEntry(
                session.account_id, at, request_id, "charge", action, quantity, credits, left, subject
            )
        )
    store.append_entries(session, entries)
    return total

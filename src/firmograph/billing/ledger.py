"""Append-only ledger of all changes to account balances.

A ledger row and its balance change in one transaction, so that the sum of an account's ledger rows always equals its
balance. The caller writes the paid effect in the same transaction, so charge and effect succeed or fail together.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from firmograph.billing import ledger_store as store
from firmograph.billing import monthly_credits
from firmograph.billing.types import MAX_CREDITS as MAX_CREDITS
from firmograph.billing.types import Balance, LedgerEntry, LedgerSum, UsageGroup
from firmograph.caller import NOBODY, Plan, Spender
from firmograph.database.connection import AccountSession, Session
from firmograph.kit.clock import day_number, day_start, iso
from firmograph.kit.errors import DailyCapReached, PaymentRequired, Refused, RefusedByState


def balance(session: AccountSession) -> Balance:
    return store.select_balance(session)


def entries(session: AccountSession) -> Iterator[tuple[int, LedgerEntry]]:
    """Yield the account's ledger rows with their numbers, oldest first."""
    return store.select_entries(session)


def charged(session: Session, by: UsageGroup, since: float, until: float) -> list[tuple[int, str | int, int]]:
    """Return account, group and credits of all charges and captures of a time; days count from the epoch."""
    return store.select_charged(session, by, since, until)


def own_charged(
    session: AccountSession, by: UsageGroup, since: float, until: float
) -> list[tuple[str | int, int]]:
    """Return group and credits of the account's charges and captures of a time; days count from the epoch."""
    return store.select_own_charged(session, by, since, until)


def charged_after(session: AccountSession, after: int, most: int) -> list[tuple[int, LedgerEntry]]:
    """Return the account's first charges and captures after a row, with their numbers.

    They are written in the scope of the account, one transaction after the other: a row with a lower number never
    appears later.
    """
    return store.select_charged_after(session, after, most)


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
        raise RefusedByState(
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
    spender: Spender = NOBODY,
) -> int:
    """Charge quantities by price key, with one ledger row per key, and return the credits charged.

    Pays monthly credits that are due if too few remain. Raises PaymentRequired, without charging anything, when they
    do not suffice either, or DailyCapReached when the spender may not spend as many on this day. Two statements, and
    one more for a spender with a cap.
    """
    costs = [
        Cost(action, quantity, plan.price(action).total(quantity)) for action, quantity in quantities.items()
    ]
    return charge_costs(session, plan, costs, request_id, at, subject, spender)


def charge_costs(
    session: AccountSession,
    plan: Plan,
    costs: Sequence[Cost],
    request_id: str,
    at: float,
    subject: str = "",
    spender: Spender = NOBODY,
) -> int:
    """Charge costs that are known, with one ledger row each; otherwise like `charge`."""
    total = sum(cost.credits for cost in costs)
    _spend_of_day(session, spender, total, at)
    remaining = store.spend_credits(session, total)
    if remaining is None and renew(session, plan, at):
        remaining = store.spend_credits(session, total)
    if remaining is None:
        _spend_of_day(session, spender, -total, at)
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
                session.account_id,
                at,
                request_id,
                "charge",
                action,
                quantity,
                credits,
                left,
                subject,
                spender.actor,
            )
        )
    store.append_entries(session, entries)
    return total


def _spend_of_day(session: AccountSession, spender: Spender, credits: int, at: float) -> None:
    """Count credits towards the daily cap of a spender. Raises DailyCapReached."""
    if count_spending(session, spender, credits, at):
        return
    cap, day, left = spender.daily_credits, day_number(at), daily_credits_left(session, spender, at)
    raise DailyCapReached(
        f"Daily cap reached: the key {spender.actor} may spend {cap} credits a day, and of these {left} are left until"
        f" {iso(day_start(day + 1))}; this needs {credits}"
    )


def count_spending(session: AccountSession, spender: Spender, credits: int, at: float) -> bool:
    """Count credits towards the cap of a spender for that day; return False, having counted nothing, if they pass it.

    Negative credits are given back. At most one statement.
    """
    cap = spender.daily_credits
    if cap is None or not credits:
        return True
    return store.spend_of_day(session, spender.actor, day_number(at), credits, cap)


def daily_credits_left(session: AccountSession, spender: Spender, at: float) -> int | None:
    """Return the rest of a spender's cap of this UTC day, None without a cap. At most one statement."""
    if spender.daily_credits is None:
        return None
    return max(0, spender.daily_credits - store.select_spent(session, spender.actor, day_number(at)))


def ledger_sums(session: Session) -> list[LedgerSum]:
    """Return the sums of the ledgers of all accounts."""
    return store.select_sums(session)


def delete_old_spending(session: Session, now: float, most: int) -> int:
    """Delete up to `most` days of spending before yesterday and return their number. Two statements."""
    return store.delete_days_before(session, day_number(now) - 1, most)

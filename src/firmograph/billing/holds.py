"""Holds: credits reserved before an action that may fail, then captured or released.

See docs/reference/webhooks.md#charges.

A hold lowers the remaining credits; its capture makes them used, its release makes them available again. Each of the
three is a ledger row under the key of the paid action, such as a delivery id, written in the caller's transaction,
which must hold the scope of the account. A unique index of the ledger refuses a second capture of the same key.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from firmograph.billing import ledger_store as store
from firmograph.billing.types import LedgerEntry
from firmograph.database.connection import Session


class Hold(NamedTuple):
    """Credits reserved for one action."""

    key: str
    """The ledger's `request_id`."""
    action: str
    """Price key."""
    credits: int


class Settlement(NamedTuple):
    """End of a hold, by capture or release."""

    hold: Hold
    captured: bool
    """True for a capture, False for a release."""


def place_holds(session: Session, account_id: int, holds: Sequence[Hold], at: float) -> list[bool]:
    """Place holds in order as long as the credits suffice; return which are covered.

    A hold of 0 credits is always covered and writes no row. At most three statements.
    """
    return place_holds_of_accounts(session, {account_id: holds}, at)[account_id]


def place_holds_of_accounts(
    session: Session, requested: Mapping[int, Sequence[Hold]], at: float
) -> dict[int, list[bool]]:
    """Place holds of several accounts, in a transaction of all their scopes. At most three statements."""
    priced = [account for account, holds in requested.items() if any(hold.credits for hold in holds)]
    balances = store.select_balances(session, priced) if priced else {}
    covered: dict[int, list[bool]] = {}
    entries: list[LedgerEntry] = []
    reserved: dict[int, int] = {}
    for account, holds in requested.items():
        remaining = left = balances[account].remaining if account in balances else 0
        covered[account] = []
        for hold in holds:
            enough = not hold.credits or hold.credits <= left
            covered[account].append(enough)
            if enough and hold.credits:
                left -= hold.credits
                entries.append(_entry(account, at, "hold", hold, left))
        reserved[account] = remaining - left
    store.add_held(session, {account: credits for account, credits in reserved.items() if credits})
    store.append_entries(session, entries)
    return covered


def settle_holds(session: Session, account_id: int, settlements: Sequence[Settlement], at: float) -> None:
    """Capture or release holds. At most three statements."""
    settle_holds_of_accounts(session, {account_id: settlements}, at)


def settle_holds_of_accounts(
    session: Session, settlements: Mapping[int, Sequence[Settlement]], at: float
) -> None:
    """Capture or release holds of several accounts, in a transaction of all their scopes. At most three statements."""
    priced = {
        account: [each for each in those if each.hold.credits] for account, those in settlements.items()
    }
    priced = {account: those for account, those in priced.items() if those}
    if not priced:
        return
    balances = store.select_balances(session, priced)
    entries = []
    for account, those in priced.items():
        left = balances[account].remaining
        for each in those:
            left += 0 if each.captured else each.hold.credits
            entries.append(_entry(account, at, "capture" if each.captured else "release", each.hold, left))
    store.reduce_held(session, {account: _settled_credits(those) for account, those in priced.items()})
    store.append_entries(session, entries)


def _settled_credits(settlements: Sequence[Settlement]) -> tuple[int, int]:
    """Return the captured and the released credits."""
    captured = sum(each.hold.credits for each in settlements if each.captured)
    return captured, sum(each.hold.credits for each in settlements) - captured


def _entry(account_id: int, at: float, kind: str, hold: Hold, balance: int) -> LedgerEntry:
    return LedgerEntry(account_id, at, hold.key, kind, hold.action, 1, hold.credits, balance)

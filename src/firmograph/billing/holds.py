"""Holds: credits set aside before an effect that may fail, then used up or given back (decisions G, Money).

A hold lowers what remains and nothing else; its capture makes it used, its release gives it back. Each is one row of
the ledger under the key of what is paid for, such as the id of a delivery, in the transaction of the caller, of the
scope of the account. The ledger refuses a second capture of a key by itself.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from firmograph.billing import ledger_store as store
from firmograph.billing.ledger_store import Entry
from firmograph.database.connection import Session


class Hold(NamedTuple):
    """What is set aside for one thing."""

    key: str
    """The ledger's `request_id`."""
    action: str
    """The price key."""
    credits: int


class Settled(NamedTuple):
    """How a hold ends."""

    hold: Hold
    captured: bool
    """Used up, else given back."""


def place(session: Session, account_id: int, holds: Sequence[Hold], at: float) -> list[bool]:
    """Set aside for those of these that the credits suffice for, first come, first served; which those are.

    What costs nothing is always among them, and has no row. At most three statements.
    """
    return place_all(session, {account_id: holds}, at)[account_id]


def place_all(session: Session, wanted: Mapping[int, Sequence[Hold]], at: float) -> dict[int, list[bool]]:
    """The same for several accounts, in a transaction of all their scopes, and in as few statements."""
    priced = [account for account, holds in wanted.items() if any(hold.credits for hold in holds)]
    balances = store.balances_of(session, priced) if priced else {}
    covered: dict[int, list[bool]] = {}
    placed: list[Entry] = []
    held: dict[int, int] = {}
    for account, holds in wanted.items():
        remaining = left = balances[account].remaining if account in balances else 0
        covered[account] = []
        for hold in holds:
            enough = not hold.credits or hold.credits <= left
            covered[account].append(enough)
            if enough and hold.credits:
                left -= hold.credits
                placed.append(_entry(account, at, "hold", hold, left))
        held[account] = remaining - left
    store.hold(session, {account: credits for account, credits in held.items() if credits})
    store.append(session, placed)
    return covered


def settle(session: Session, account_id: int, settled: Sequence[Settled], at: float) -> None:
    """Use up or give back what is held. At most three statements."""
    settle_all(session, {account_id: settled}, at)


def settle_all(session: Session, settled: Mapping[int, Sequence[Settled]], at: float) -> None:
    """The same for several accounts, in a transaction of all their scopes, and in as few statements."""
    priced = {account: [each for each in those if each.hold.credits] for account, those in settled.items()}
    priced = {account: those for account, those in priced.items() if those}
    if not priced:
        return
    balances = store.balances_of(session, priced)
    entries = []
    for account, those in priced.items():
        left = balances[account].remaining
        for each in those:
            left += 0 if each.captured else each.hold.credits
            entries.append(_entry(account, at, "capture" if each.captured else "release", each.hold, left))
    store.settle(session, {account: _ended(those) for account, those in priced.items()})
    store.append(session, entries)


def _ended(settled: Sequence[Settled]) -> tuple[int, int]:
    """Credits that are captured, and that are released."""
    captured = sum(each.hold.credits for each in settled if each.captured)
    return captured, sum(each.hold.credits for each in settled) - captured


def _entry(account_id: int, at: float, kind: str, hold: Hold, balance: int) -> Entry:
    return Entry(account_id, at, hold.key, kind, hold.action, 1, hold.credits, balance)

"""Holds: credits set aside before an effect that may fail, then used up or given back (decisions G, Money).

A hold lowers what remains and nothing else; its capture makes it used, its release gives it back. Each is one row of
the ledger under the key of what is paid for, such as the id of a delivery, in the transaction of the caller, of the
scope of the account. The ledger refuses a second capture of a key by itself.
"""

from collections.abc import Sequence
from typing import NamedTuple

from firmograph.accounts import ledger_store as store
from firmograph.accounts.ledger_store import Entry
from firmograph.kit.database import Session


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
    if not any(hold.credits for hold in holds):
        return [True] * len(holds)
    remaining = store.balance_of(session, account_id).remaining
    covered, placed, left = [], [], remaining
    for hold in holds:
        enough = not hold.credits or hold.credits <= left
        covered.append(enough)
        if enough and hold.credits:
            left -= hold.credits
            placed.append(_entry(account_id, at, "hold", hold, left))
    if placed and store.hold(session, account_id, remaining - left) is None:
        raise RuntimeError("the credits of an account changed outside its scope")
    store.append(session, placed)
    return covered


def settle(session: Session, account_id: int, settled: Sequence[Settled], at: float) -> None:
    """Use up or give back what is held. At most two statements."""
    settled = [each for each in settled if each.hold.credits]
    if not settled:
        return
    captured = sum(each.hold.credits for each in settled if each.captured)
    released = sum(each.hold.credits for each in settled if not each.captured)
    left = store.settle(session, account_id, captured, released) - released
    entries = []
    for each in settled:
        left += 0 if each.captured else each.hold.credits
        entries.append(_entry(account_id, at, "capture" if each.captured else "release", each.hold, left))
    store.append(session, entries)


def _entry(account_id: int, at: float, kind: str, hold: Hold, balance: int) -> Entry:
    return Entry(account_id, at, hold.key, kind, hold.action, 1, hold.credits, balance)

"""Holds: credits reserved before an action that may fail, then captured or released.

See docs/reference/webhooks.md#charges.

A hold lowers the remaining credits; its capture makes them used, its release makes them available again. Each of the
three is a ledger row under the key of the paid action, such as a delivery id, written in the caller's transaction,
which must hold the scope of the account. A unique index of the ledger refuses a second capture of the same key. What a
capture pays for becomes a paid unit of the account with it, as with a charged call.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from firmograph.billing import ledger_store as store
from firmograph.billing import paid_unit_store
from firmograph.billing.types import LedgerEntry, PaidUnit, Unit
from firmograph.database.connection import AccountSession, Session


class Hold(NamedTuple):
    """Credits reserved for one action."""

    key: str
    """The ledger's `request_id`."""
    action: str
    """Price key."""
    credits: int
    actor: str = ""
    """Who spends them (`caller.Spender`)."""
    subject: str = ""
    """What they are for, as in the ledger."""


class Settlement(NamedTuple):
    """End of a hold, by capture, release, or both."""

    hold: Hold
    captured: int
    """Credits to charge; the rest of the hold is released."""
    unit: Unit | None = None
    """What the captured credits pay for, if that is paid once; without a capture it stays unpaid."""

    @property
    def released(self) -> int:
        return self.hold.credits - self.captured


def place_holds(session: AccountSession, holds: Sequence[Hold], at: float) -> list[bool]:
    """Place holds in order as long as the credits suffice; return which are covered.

    A hold of 0 credits is always covered and writes no row. At most three statements.
    """
    account_id = session.account_id
    return place_holds_of_accounts(session.session, {account_id: holds}, at)[account_id]


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
    store.append_entries_of_accounts(session, entries)
    return covered


def settle_holds(session: AccountSession, settlements: Sequence[Settlement], at: float) -> None:
    """Capture or release holds. At most four statements."""
    settle_holds_of_accounts(session.session, {session.account_id: settlements}, at)


def settle_holds_of_accounts(
    session: Session, settlements: Mapping[int, Sequence[Settlement]], at: float
) -> None:
    """Capture or release holds of several accounts, in a transaction of all their scopes. At most four statements."""
    priced = {
        account: [each for each in those if each.hold.credits] for account, those in settlements.items()
    }
    priced = {account: those for account, those in priced.items() if those}
    if not priced:
        return
    balances = store.select_balances(session, priced)
    entries: list[LedgerEntry] = []
    paid: list[PaidUnit] = []
    for account, those in priced.items():
        left = balances[account].remaining
        for each in those:
            if each.captured:
                entries.append(
                    _entry(account, at, "capture", each.hold._replace(credits=each.captured), left)
                )
                paid += [PaidUnit(account, each.unit, each.hold.key)] if each.unit else []
            if each.released:
                left += each.released
                entries.append(
                    _entry(account, at, "release", each.hold._replace(credits=each.released), left)
                )
    store.reduce_held(session, {account: _settled_credits(those) for account, those in priced.items()})
    store.append_entries_of_accounts(session, entries)
    paid_unit_store.upsert_of_accounts(session, paid, at)


def _settled_credits(settlements: Sequence[Settlement]) -> tuple[int, int]:
    """Return the captured and the released credits."""
    return sum(each.captured for each in settlements), sum(each.released for each in settlements)


def _entry(account_id: int, at: float, kind: str, hold: Hold, balance: int) -> LedgerEntry:
    return LedgerEntry(
        account_id, at, hold.key, kind, hold.action, 1, hold.credits, balance, hold.subject, hold.actor
    )

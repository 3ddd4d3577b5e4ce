"""Balance of an account, row of its ledger, period of monthly credits, and paid unit."""

from enum import IntEnum
from typing import Final, Literal, NamedTuple

MAX_CREDITS: Final = 2**53 - 1
"""Maximum of all credits of an account: the largest integer that every JSON parser represents exactly."""

UsageGroup = Literal["account", "key", "action", "day"]
"""What a report of usage adds up by."""


class Balance(NamedTuple):
    """Balance of an account in credits: received ones, all charges, and current holds."""

    granted: int
    used: int
    held: int = 0

    @property
    def remaining(self) -> int:
        return self.granted - self.used - self.held


class LedgerEntry(NamedTuple):
    """Ledger row without its number."""

    account_id: int
    at: float
    request_id: str
    kind: str
    action: str
    quantity: int
    credits: int
    balance: int
    subject: str = ""
    """Table, run or provider that it was for, as `table:ID`, `run:NUMBER` or `provider:NAME`."""
    actor: str = ""
    """Who spent it (`caller.Spender`)."""


class LedgerSum(NamedTuple):
    """Rows of an account's ledger, and the sum of their credits."""

    account_id: int
    rows: int
    credits: int


class CreditPeriod(NamedTuple):
    """Current period of an account's monthly credits."""

    number: int
    """Number of the last period that was paid."""
    plan: str
    day: int
    """Day of the month on which periods begin; the last day in a shorter month."""
    credits: int
    unused: str
    """`expire` or `stay`."""
    used_before: int
    """Credits that the account had used when the period was paid."""
    renews_at: float | None
    """End of the period; None without one."""


class UnitKind(IntEnum):
    """Kind of a paid unit, as stored."""

    CONTACT_DATA = 1
    """Data point of a contact."""
    COMPANY_DATA = 2
    """Data point of a company."""
    SIGNAL = 3


class Unit(NamedTuple):
    """What an account pays for once."""

    kind: int
    """`UnitKind`; for data points the number of the entity as well."""
    record: int
    """Number of the record; 0 for a signal."""
    name: str | bytes
    """Name of the data point, such as `emails` or `directParent`; identity of the signal."""


def signal_unit(identity: bytes) -> Unit:
    """Return the paid unit of a signal, which does not depend on its row."""
    return Unit(UnitKind.SIGNAL, 0, identity)


class PaidUnit(NamedTuple):
    """Unit that an account has paid for."""

    account_id: int
    unit: Unit
    request_id: str
    """Request, or delivery, of the ledger rows."""

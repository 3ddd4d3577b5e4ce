"""Balance of an account, row of its ledger, and paid unit."""

from enum import IntEnum
from typing import Literal, NamedTuple

UsageGroup = Literal["account", "key", "action", "day"]
"""What a report of usage adds up by."""


class Balance(NamedTuple):
    """Balance of an account in credits: all grants, all charges, and current holds."""

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
    """Table or run that it was for, as `table:ID` or `run:NUMBER`."""
    actor: str = ""
    """Who spent it (`caller.Spender`)."""


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

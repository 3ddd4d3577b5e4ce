"""Balance of an account and row of its ledger."""

from typing import NamedTuple


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

"""Actions, and rows of the audit."""

from typing import NamedTuple


class Action(NamedTuple):
    """Action of an operator or of a user."""

    at: float
    action: str
    """Command, such as `credits grant`."""
    account: int | None
    subject: str
    """Other object, such as `key fg_1a2b3c4d`."""
    person: bytes | None
    """Keyed digest of a person."""
    details: str
    """JSON object."""
    reason: str


class OperatorAction(NamedTuple):
    """What an operator did."""

    token: bytes
    """Random; the same in restored copies."""
    at: float
    actor: str
    action: str
    """Command, such as `credits grant`."""
    account: int | None
    subject: str
    """Other object, such as `key fg_1a2b3c4d`."""
    person: bytes | None
    """Keyed digest of a person."""
    details: str
    """JSON object."""
    reason: str

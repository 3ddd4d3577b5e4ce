"""What a delivery goes through, in the words of the wire and the numbers of the database."""

from enum import IntEnum
from typing import Final, Literal, NamedTuple

from firmograph.database.leases import Claim

OPT_OUT: Final = "optOut"
"""The one type of opt-out subscriptions."""

NEVER: Final = 1e15
"""A time that does not come."""


class State(IntEnum):
    """Of a delivery that is still held."""

    WAITING = 1
    """To be sent, or on its way."""
    FAILED = 2
    """Its last attempt failed: a dead letter, which an operator may send again."""
    CANCELLED = 3
    """Never to be sent; a worker gives its hold back, tells the audit, and deletes it."""


class Status(IntEnum):
    """Of an attempt in the audit."""

    SUCCESS = 1
    FAILED = 2
    """It can still go."""
    PERMANENT_FAILURE = 3


StatusName = Literal["success", "failed", "permanent_failure"]

STATUS_NAMES: Final[dict[Status, StatusName]] = {
    Status.SUCCESS: "success",
    Status.FAILED: "failed",
    Status.PERMANENT_FAILURE: "permanent_failure",
}


class Attempt(NamedTuple):
    """A delivery to be sent now, under a claim on its subscription."""

    claim: Claim[int]
    """On the subscription's row."""
    account_id: int
    subscription: str
    """Its public id."""
    url: str
    delivery_id: int
    payload_id: str
    body: bytes
    """The exact bytes to send."""
    secret: str
    attempts: int
    """How many failed before."""


class Sent(NamedTuple):
    """What came of sending."""

    status_code: int | None
    """None where no answer came."""
    duration_ms: int
    error: str | None = None
    """Why it failed, as accounts may read it; None for a 2xx."""
    body: bytes = b""
    """Of the answer, at most `MOST_ANSWER_BYTES`."""
    retry_after: float | None = None
    """Seconds that the receiver asked for."""
    response_ms: int | None = None
    """Until the answer began; None where none did."""

    @property
    def success(self) -> bool:
        return self.error is None


MOST_ANSWER_BYTES: Final = 20_000


class Outcome(NamedTuple):
    """An attempt that ended."""

    attempt: Attempt
    sent: Sent
    at: float
    """When it was sent."""

"""States and results of deliveries, with their API and database values."""

from enum import IntEnum
from typing import Final, Literal, NamedTuple

from firmograph.database.leases import Claim

OPT_OUT: Final = "optOut"
"""Type of opt-out subscriptions."""

NEVER: Final = 1e15
"""Time beyond any real one."""


class State(IntEnum):
    """State of a stored delivery."""

    WAITING = 1
    """Queued or in flight."""
    FAILED = 2
    """Dead letter: its last attempt failed; an operator may redeliver it."""
    CANCELLED = 3
    """Never to be sent; a worker releases its hold, audits and deletes it."""


class Status(IntEnum):
    """Status of an attempt in the audit."""

    SUCCESS = 1
    FAILED = 2
    """May still be delivered."""
    PERMANENT_FAILURE = 3


StatusName = Literal["success", "failed", "permanent_failure"]

STATUS_NAMES: Final[dict[Status, StatusName]] = {
    Status.SUCCESS: "success",
    Status.FAILED: "failed",
    Status.PERMANENT_FAILURE: "permanent_failure",
}


class Attempt(NamedTuple):
    """Delivery to send now, under a claim on its subscription."""

    claim: Claim[int]
    """Claim on the subscription's row."""
    account_id: int
    subscription: str
    """Public id."""
    url: str
    delivery_id: int
    payload_id: str
    body: bytes
    """Exact bytes to send."""
    secret: str
    attempts: int
    """Number of failed attempts before."""


class SendResult(NamedTuple):
    """Result of sending: the receiver's response or an error."""

    status_code: int | None
    """None without a response."""
    duration_ms: int
    error: str | None = None
    """Why it failed, as shown to accounts; None for a success."""
    body: bytes = b""
    """First `MAX_RESPONSE_BYTES` of the response."""
    retry_after: float | None = None
    """Seconds that the receiver requested."""
    response_ms: int | None = None
    """Milliseconds until the response began; None without one."""

    @property
    def success(self) -> bool:
        return self.error is None


MAX_RESPONSE_BYTES: Final = 20_000


class AttemptResult(NamedTuple):
    """Finished attempt."""

    attempt: Attempt
    send_result: SendResult
    sent_at: float


class DeadLetter(NamedTuple):
    """Permanently failed delivery with its subscription.

    `state` tells whether the delivery is still queued or cancelled instead.
    """

    id: int
    payload_id: str
    state: int
    account_id: int
    subscription_id: int
    subscription: str
    """Public id."""
    named: str
    """Record id as it was first sent."""
    url: str
    active: int
    """1 if the subscription is active."""
    failed_at: float | None


class SubscriptionStatus(NamedTuple):
    """Subscription with its queue figures."""

    subscription: str
    """Public id."""
    entity: int
    named: str
    types: str
    name: str | None
    url: str
    active: int
    block_reason: str | None
    blocked_at: float | None
    queued: int
    needs: int
    dead_letters: int

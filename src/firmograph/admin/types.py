"""Operator's key, and a call that it makes."""

from typing import NamedTuple

from firmograph.caller import CallKey


class OperatorKey(NamedTuple):
    id: int
    prefix: str
    name: str
    created_at: float
    revoked_at: float | None


class OperatorRequest(NamedTuple):
    """Request of an operator's program."""

    id: str
    """UUID, also of the answer."""
    operator: str
    """Prefix of the key, which the audit names."""
    key: CallKey | None = None


class KeptCall(NamedTuple):
    """Call that was answered under an `Idempotency-Key`."""

    digest: bytes
    """Digest of query and body."""
    request_id: str
    subject: str
    """Number or prefix of what it created."""

"""Accounts, users and API keys as the operator sees them."""

from typing import Literal, NamedTuple


class Account(NamedTuple):
    id: int
    name: str
    plan: str
    active: bool
    can_reveal: str | None
    created_at: float
    plan_at: float
    closed_at: float | None
    granted: int
    used: int
    held: int
    renews_at: float | None
    """Start of the next period of monthly credits."""

    @property
    def remaining(self) -> int:
        return self.granted - self.used - self.held

    @property
    def state(self) -> Literal["active", "disabled", "closed"]:
        if self.closed_at is not None:
            return "closed"
        return "active" if self.active else "disabled"


class User(NamedTuple):
    id: int
    email: str
    role: str
    created_at: float


class ApiKey(NamedTuple):
    digest: bytes
    prefix: str
    created_at: float
    revoked_at: float | None
    name: str
    expires_at: float | None
    daily_credits: int | None
    last_used_at: float | None

    def has_expired(self, now: float) -> bool:
        return self.expires_at is not None and self.expires_at <= now


class KeyTerms(NamedTuple):
    """Terms of a new key."""

    name: str = ""
    expires_at: float | None = None
    daily_credits: int | None = None
    """Most credits that it may spend in a UTC day."""


class KeyHolder(NamedTuple):
    """Key that is not revoked, with its account."""

    account_id: int
    plan: str
    active: int
    can_reveal: str | None
    prefix: str
    expires_at: float | None
    daily_credits: int | None
    has_providers: int
    """1 if providers of the data waterfall are enabled for the account."""

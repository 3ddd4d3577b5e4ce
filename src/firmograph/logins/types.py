"""Logins, sessions and links as other packages see them."""

from typing import Literal, NamedTuple

LinkKind = Literal["first-run", "invitation", "password"]


class Login(NamedTuple):
    """Person who can sign in."""

    id: int
    email: str
    is_operator: bool
    created_at: float
    password_at: float
    """Time at which the password was chosen."""


class SessionState(NamedTuple):
    """Session of a login, as it was read for one request."""

    login: Login
    account_id: int | None
    """Account that the login has chosen; None before the choice."""
    created_at: float
    used_at: float


class NewSession(NamedTuple):
    """New session; `token` is kept by the browser alone."""

    token: str
    login: Login


class NewLink(NamedTuple):
    """New one-time link; `token` cannot be retrieved later."""

    token: str
    kind: LinkKind
    email: str
    expires_at: float


class Link(NamedTuple):
    """One-time link that is still valid."""

    kind: LinkKind
    email: str
    """Empty in a first-run link, whose user names it."""
    account_id: int | None
    """Account that an invitation leads into."""
    role: str
    made_by: str
    """Actor who made it."""
    expires_at: float

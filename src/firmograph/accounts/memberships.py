"""Memberships of an e-mail address: the open accounts of which it is a user."""

import re
from typing import Final, NamedTuple

from firmograph.accounts import store
from firmograph.database.connection import Session
from firmograph.kit.errors import Refused

_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\Z")


class Membership(NamedTuple):
    """User of an account that is not closed, with the account's terms."""

    user_id: int
    email: str
    role: str
    account_id: int
    account: str
    """Name of the account."""
    plan: str
    is_active: bool
    can_reveal: str | None


def list_memberships(session: Session, email: str) -> list[Membership]:
    """Return the memberships of an address in lower case, by name of the account. One statement."""
    return [Membership(*row) for row in store.select_memberships(session, email)]


def check_email(text: str) -> str:
    """Return an e-mail address in lower case. Raises Refused for a text that is none."""
    email = text.strip().lower()
    if not _EMAIL.match(email) or len(email) > 254:
        raise Refused(f"{email!r} is not an e-mail address")
    return email

"""Activity of an account's users: who made, changed or revoked what, kept for 180 days."""

from typing import Final, NamedTuple

import msgspec

from firmograph.accounts import activity_store as store
from firmograph.database.connection import AccountSession, Session
from firmograph.kit.clock import DAY_SECONDS
from firmograph.operator_audit.service import ActionLog
from firmograph.operator_audit.types import Action

_KEPT_SECONDS: Final = 180.0 * DAY_SECONDS


class UserAction(NamedTuple):
    """Action of a user, who may have been removed since."""

    id: int
    at: float
    actor: str
    """E-mail address of the user."""
    action: str
    subject: str
    details: dict[str, int | str]


class UserActivity(ActionLog):
    """Log of what a user does in their account."""

    def __init__(self, account_id: int, user_id: int, email: str) -> None:
        self._account_id = account_id
        self._user_id = user_id
        self._email = email

    def _write(self, session: Session, action: Action) -> None:
        own = AccountSession(session, self._account_id)
        store.insert_activity(
            own, action.at, self._user_id, self._email, action.action, action.subject, action.details
        )


def list_activity(session: AccountSession, before: int | None, most: int) -> list[UserAction]:
    """Return actions of the account's users, the newest first, before a row if one is named. One statement."""
    rows = store.select_activity(session, before, most)
    return [
        UserAction(number, at, actor, action, subject, msgspec.json.decode(details))
        for number, at, actor, action, subject, details in rows
    ]


def delete_old_activity(session: Session, now: float, most: int) -> int:
    """Delete up to `most` actions that are older than 180 days; return their number."""
    return store.delete_older(session, now - _KEPT_SECONDS, most)

"""Logins when an account is closed: invitations into it end."""

from typing import Final

from firmograph.database.connection import AccountSession
from firmograph.installation import AccountWiring
from firmograph.logins import store


def _close(session: AccountSession, at: float) -> None:
    store.delete_invitations(session.session, session.account_id)


ACCOUNTS: Final = AccountWiring(close=_close)

"""Conversations of accounts that are erased."""

from typing import Final

from firmograph.conversations import store
from firmograph.database.connection import AccountSession
from firmograph.installation import AccountWiring


def _erase(session: AccountSession, at: float) -> int:
    """Delete all conversations of the account, and its settings for them."""
    held = store.count(session)
    store.delete_everything(session)
    return held


ACCOUNTS: Final = AccountWiring(erase=_erase)

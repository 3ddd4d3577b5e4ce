"""Saved searches of users who leave an account, and of accounts that are erased."""

from typing import Final

from firmograph.database.connection import AccountSession
from firmograph.installation import AccountWiring
from firmograph.saved_searches import store


def _erase(session: AccountSession, at: float) -> int:
    return store.delete_searches(session)


ACCOUNTS: Final = AccountWiring(count_owned=store.count_owned, give=store.give_owned, erase=_erase)

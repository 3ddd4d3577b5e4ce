"""Users of an account, for features whose calls name the user who acts."""

from firmograph.accounts import store
from firmograph.accounts.types import User
from firmograph.database.connection import AccountSession
from firmograph.kit.name_keys import name_key


def list_users(session: AccountSession) -> list[User]:
    """Return the users of the account, oldest first. One statement."""
    return store.select_users(session)


def find_user(session: AccountSession, email: str) -> User | None:
    """Return the user with an e-mail address, letter case aside. One statement."""
    wanted = name_key(email)
    return next((user for user in store.select_users(session) if name_key(user.email) == wanted), None)

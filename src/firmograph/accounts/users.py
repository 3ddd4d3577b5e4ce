"""Users of an account: found by address, and the rules of their roles."""

from firmograph.accounts import store
from firmograph.accounts.types import Account, User
from firmograph.database.connection import AccountSession
from firmograph.kit.errors import Refused
from firmograph.kit.name_keys import name_key

ROLES = ("admin", "manager", "member")


def list_users(session: AccountSession) -> list[User]:
    """Return the users of the account, oldest first. One statement."""
    return store.select_users(session)


def find_user(session: AccountSession, email: str) -> User | None:
    """Return the user with an e-mail address, letter case aside. One statement."""
    wanted = name_key(email)
    return next((user for user in store.select_users(session) if name_key(user.email) == wanted), None)


def require_user(session: AccountSession, account: Account, email: str) -> User:
    """Return the user with an e-mail address. Raises Refused for an unknown one."""
    user = find_user(session, email.strip())
    if user is None:
        raise Refused(
            f"{email.strip()!r} is no user of {account.name!r}; list them with"
            f" `firmograph user list --account {account.id}`"
        )
    return user


def check_not_last_admin(session: AccountSession, account: Account, user: User) -> None:
    """Raise Refused if a user is the last admin."""
    admins = [one.id for one in store.select_users(session) if one.role == "admin"]
    if admins == [user.id]:
        raise Refused(f"{user.email} is the last admin of {account.name!r}; make another user admin first")


def check_role(role: str) -> None:
    """Raise Refused for an unknown role."""
    if role not in ROLES:
        raise Refused(f"Unknown role {role!r}; choose one of {', '.join(ROLES)}")

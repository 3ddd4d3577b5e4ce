"""Users who act on tables: named by e-mail address in a body or query."""

from typing import Literal

from firmograph.accounts.types import User
from firmograph.accounts.users import find_user
from firmograph.caller import OperatorCaller, Request
from firmograph.database.connection import AccountSession
from firmograph.directory.lookup.identifiers import raise_problem
from firmograph.record_tables.access import Actor

EmailPath = Literal["owner.email", "email"]


def actor_of(session: AccountSession, request: Request, email: str, path: EmailPath) -> Actor:
    """Return who acts: the operator, whatever the address, else the user with it; raises as `user_of`."""
    if isinstance(request.caller, OperatorCaller):
        return Actor(session.account_id, None)
    return Actor(session.account_id, user_of(session, email, path).id)


def user_of(session: AccountSession, email: str, path: EmailPath) -> User:
    """Return the user of the account with an address, letter case aside.

    Raises BadRequest with the path of the address, for a malformed one too.
    """
    user = find_user(session, email)
    if user is None:
        raise_problem(f"{path} must be the e-mail address of a user of the account")
    return user
